from pathlib import Path

import pytest
from small_corpus import small_corpus, write


@pytest.fixture
def files() -> dict[str, str | bytes]:
    return small_corpus()


@pytest.fixture
def small(tmp_path, files) -> Path:
    return write(tmp_path / "small", files)
