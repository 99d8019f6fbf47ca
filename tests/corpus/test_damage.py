"""Whatever is damaged in a corpus, it is read or refused, never crashed on."""

import numpy as np
import pytest
from small_corpus import small_corpus, write
from test_read import WITH_CONTEXTS, converted

from neuralese.tasks.corpus.describe import describe
from neuralese.tasks.corpus.faults import CorpusError
from neuralese.tasks.corpus.read import read_corpus

INSERTED = [
    b"",
    b",",
    b'"',
    b"\n",
    b"-1",
    b"1e400",
    b"nan",
    b"\xff",
    b"\0",
    b"[",
    b"{",
    b"}",
    b"&a ",
    b"*a",
    b": ",
    b"\t",
    b"#",
]


def damaged(content: bytes, rng: np.random.Generator) -> bytes:
    """Cut out a few bytes, and put others in their place."""
    at = int(rng.integers(len(content)))
    return content[:at] + INSERTED[rng.integers(len(INSERTED))] + content[at + int(rng.integers(4)) :]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_damaged_corpus_is_read_or_refused(tmp_path, suffix):
    rng = np.random.default_rng(0)
    whole = small_corpus() | WITH_CONTEXTS
    whole = whole if suffix == ".csv" else converted(whole, suffix)
    sentences = []
    for number in range(60):
        files = {name: content if isinstance(content, bytes) else content.encode() for name, content in whole.items()}
        name = sorted(files)[number % len(files)]
        for _ in range(1 + number % 3):
            files[name] = damaged(files[name], rng)
        try:
            describe(read_corpus(write(tmp_path / str(number), files)))
        except CorpusError as error:
            sentences += error.sentences
    assert len(sentences) > 10
    assert all(sentence.isprintable() and sentence.endswith((".", "?")) for sentence in sentences)
