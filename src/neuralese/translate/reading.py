"""What criteria need to know of a language, and how they take its likelihoods."""

import math
from dataclasses import dataclass
from typing import Protocol

from neuralese.arrays import Array

JOINS = ("product", "mean")


@dataclass(frozen=True)
class Reading:
    """How a criterion takes the likelihoods of a language."""

    scale: float = 1.0  # p(z | x) of a robot is taken to be this many times as wide as the channel's noise
    variance: float | None = None  # or to have this variance, whatever the noise
    join: str = "product"  # p(phrases said together | x) is the product over the phrases, or their geometric mean

    def width(self, noise: float) -> float:
        """The standard deviation of p(z | x)."""
        return self.scale * noise if self.variance is None else math.sqrt(self.variance)


class Language(Protocol):
    """Messages with the speaker that says them. What it is given and gives are arrays of NumPy, or of torch."""

    def __len__(self) -> int:
        """The number of its messages, K."""

    def read(self, reading: Reading) -> "Language":
        """The same messages with their likelihoods taken in this way."""

    def log_likelihood(self, candidates: Array) -> Array:
        """log p(z_k | x_is), (K, n, s), for candidates (n, s, ...), each of them by itself."""

    def log_beliefs(self, candidates: Array, log_likelihood: Array) -> Array:
        """What its listeners believe in each context, (K, n, s), in logarithms that need not be normalised.

        Unless a language says otherwise, they believe by Equation 1: as likely as the message is in a candidate.
        """
        return log_likelihood


class Listed(Language, Protocol):
    """A language whose messages can stand in tables."""

    ids: Array  # (K,) of its messages

    def texts(self) -> list[str]:
        """What its messages are called."""
