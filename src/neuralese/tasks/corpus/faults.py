"""What is wrong with a corpus: one sentence per fault, collected so that a user can fix them all at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralese.errors import NeuraleseError

LONGEST = 40  # number of characters of a value that are shown


class CorpusError(NeuraleseError):
    """Everything wrong with a corpus: `sentences`; as text, the first of them."""

    def __init__(self, folder: str | Path, sentences: list[str]) -> None:
        more = len(sentences) - 1
        rest = f" (neuralese corpus check {folder} names {more} more)" if more else ""
        super().__init__(sentences[0] + rest)
        self.sentences = tuple(sentences)


class Faults:
    """Collects the faults of parts that can be read independently."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = folder
        self.sentences: list[str] = []

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Record the block's fault, and continue after it."""
        try:
            yield
        except NeuraleseError as error:
            self.sentences.append(str(error))

    def stop(self) -> None:
        """Raise whatever was collected."""
        if self.sentences:
            raise CorpusError(self.folder, self.sentences)


def shown(value: object) -> str:
    """A value as quoted in a sentence: on one line, and not too long."""
    text = repr(value) if isinstance(value, str) else str(value)
    return ascii(text)[1:-1] if not text.isprintable() else text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def reason(error: Exception) -> str:
    """A library's error as quoted in a sentence."""
    text = " ".join(str(error).split())[:120]
    return text if text.isprintable() else ascii(text)[1:-1]
