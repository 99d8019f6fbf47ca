"""What is wrong with a corpus: one sentence for each fault, gathered so that a user can mend them all at once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from neuralese.storage.errors import NeuraleseError

LONGEST = 40  # characters of a value that are shown


class CorpusError(NeuraleseError):
    """All that is wrong with a corpus: `sentences`; as text, the first of them."""

    def __init__(self, folder: str | Path, sentences: list[str]) -> None:
        more = len(sentences) - 1
        rest = f" (neuralese corpus check {folder} names {more} more)" if more else ""
        super().__init__(sentences[0] + rest)
        self.sentences = tuple(sentences)


class Faults:
    """Gathers the faults of parts that can be read without each other."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = folder
        self.sentences: list[str] = []

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Keep what the block complains of, and go on after it."""
        try:
            yield
        except NeuraleseError as error:
            self.sentences.append(str(error))

    def stop(self) -> None:
        """Raise whatever was gathered."""
        if self.sentences:
            raise CorpusError(self.folder, self.sentences)


def shown(value: object) -> str:
    """A value as it is quoted in a sentence: on one line, and not too long."""
    text = repr(value) if isinstance(value, str) else str(value)
    return ascii(text)[1:-1] if not text.isprintable() else text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def reason(error: Exception) -> str:
    """What a library says of a fault, as it is quoted in a sentence."""
    text = " ".join(str(error).split())[:120]
    return text if text.isprintable() else ascii(text)[1:-1]
