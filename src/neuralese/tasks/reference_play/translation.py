"""What was said, and what it was translated into."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from neuralese.agents.sequences import Messages, Sequences

DIGITS = 3  # number of digits of a message's numbers drawn on a page


@dataclass(frozen=True)
class Said:
    """A message of a robot."""

    message: Messages  # (1, message)
    id: int | None  # in `messages.parquet`, if it is in there

    @property
    def numbers(self) -> list[float]:
        """The message itself: the entries of a vector, or the symbols."""
        if isinstance(self.message, Sequences):
            return [int(symbol) for symbol in self.message.texts()[0].split()]
        return [float(number) for number in self.message[0]]

    def view(self) -> dict:
        """For the page."""
        symbols = isinstance(self.message, Sequences)
        numbers = self.numbers if symbols else [round(number, DIGITS) for number in self.numbers]
        return {"symbols" if symbols else "vector": numbers}


@dataclass(frozen=True)
class Choice:
    """One of the best translations."""

    id: int
    text: str
    score: float  # lower is better


@dataclass(frozen=True)
class Translation:
    """The best translations, best first, and how they were found: dictionary, scored just now, or interpreter."""

    best: list[Choice]
    how: str

    def view(self) -> dict:
        """For the page; an infinite score, of a pair that shares no context, becomes none."""
        finite = float("inf")
        best = [
            {"text": each.text, "score": None if each.score == finite else round(each.score, 3)} for each in self.best
        ]
        return {"best": best, "how": self.how}


def ranked(scores: Tensor, ids: Sequence[int], texts: Sequence[str], count: int) -> list[Choice]:
    """The lowest of `scores` (K,); equal ones keep their order."""
    order = torch.as_tensor(scores).sort(stable=True).indices[:count].tolist()
    return [Choice(ids[place], texts[place], float(scores[place])) for place in order]
