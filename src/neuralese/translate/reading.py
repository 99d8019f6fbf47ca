"""What criteria need to know about a language, and how they read its likelihoods."""

import math
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from neuralese.arrays import Array

Join = Literal["product", "mean"]
JOINS = get_args(Join)


@dataclass(frozen=True)
class Reading:
    """How a criterion reads the likelihoods of a language."""

    scale: float = 1.0  # width of a robot's p(z | x), as a multiple of the channel's noise
    variance: float | None = None  # or its variance, regardless of the noise
    join: Join = "product"  # p(phrases said together | x) is the product over the phrases, or their geometric mean

    def width(self, noise: float) -> float:
        """The standard deviation of p(z | x)."""
        return self.scale * noise if self.variance is None else math.sqrt(self.variance)


class Language(Protocol):
    """Messages with the speaker who says them. Takes and returns arrays of NumPy, or of torch."""

    log_peak: float = 0.0  # the greatest log-likelihood a message can have; not 0 for densities of vectors

    def __len__(self) -> int:
        """The number of its messages, K."""

    def read(self, reading: Reading) -> "Language":
        """The same messages with their likelihoods read in this way."""

    def log_likelihood(self, candidates: Array) -> Array:
        """log p(z_k | x_is), (K, n, s), for candidates (n, s, ...), each independently."""

    def log_beliefs(self, candidates: Array, log_likelihood: Array) -> Array:
        """What its listeners believe in each context, (K, n, s), as logarithms that need not be normalised.

        Unless overridden, they believe by Equation 1: in proportion to the likelihood of the message in a candidate.
        """
        return log_likelihood


class Listed(Language, Protocol):
    """A language whose messages can be listed in tables."""

    ids: Array  # (K,) of its messages

    def texts(self) -> list[str]:
        """The names of its messages."""
