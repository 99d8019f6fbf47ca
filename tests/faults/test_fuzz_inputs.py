"""A few seconds of `fuzz_inputs.py`, which has a long form of its own."""

import pytest
from fuzz_inputs import BAD, fuzz_archives, fuzz_corpora


@pytest.mark.parametrize(("fuzz", "count"), [(fuzz_archives, 105), (fuzz_corpora, 45)], ids=["archives", "corpora"])
def test_what_is_changed_is_refused_or_read_as_what_it_is(tmp_path, fuzz, count):
    found = fuzz(count, 1, tmp_path)
    assert [outcome for outcome in found if outcome.startswith(BAD)] == []
    assert sum(found.values()) == count
    assert found["refused"] > count / 4
