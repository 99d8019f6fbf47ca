"""Charts that cannot be drawn do not cost the report."""

import pytest

from neuralese.report.page import write


@pytest.fixture
def forgetful():
    write.vega.cache_clear()
    yield
    write.vega.cache_clear()


@pytest.mark.parametrize("ends", ["import os; os.abort()", "raise MemoryError", "import sys; sys.exit(3)", "pass"])
def test_a_library_that_cannot_be_packed_is_left_out_with_a_warning(forgetful, monkeypatch, caplog, ends):
    monkeypatch.setattr(write, "PACK", ends)
    assert write.vega() == ""
    assert "the report has no charts, since their library could not be packed" in caplog.text


def test_a_library_that_can_be_packed_is_taken(forgetful, monkeypatch, caplog):
    monkeypatch.setattr(write, "PACK", "print('const vegaEmbed = 1;')")
    assert write.vega().strip() == "const vegaEmbed = 1;"
    assert not caplog.records


def test_the_page_says_that_a_chart_is_missing():
    script = (write.ASSETS / "charts.js").read_text("utf-8")
    assert 'typeof vegaEmbed === "undefined"' in script
