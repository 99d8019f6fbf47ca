"""What the messages of both languages mean in the contexts of a dictionary, as a table.

A criterion sees a message only through its likelihood in the candidates of the contexts. For each candidate, this
table holds the robot's mean message and log p of every phrase. So any message, and any phrases said
together, can be scored by the same criteria without the models that made the table, and without torch. For a robot
that speaks in symbols, it holds log p of every message of the vocabulary instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from neuralese.speakers.gaussian import log_density, log_peak
from neuralese.storage.tables import matrix, numbers, read_about, read_table, vectors, write_table
from neuralese.translate.reading import Language, Reading

if TYPE_CHECKING:  # reading the table must not wait for torch
    from torch import Tensor

    from neuralese.translate.languages import English, Neuralese


def write_meanings(path: str | Path, english: "English", neuralese: "Neuralese", candidates: "Tensor") -> None:
    """Write what is said in the candidates (n, s, ...) of each context, with the true state first."""
    contexts, states = candidates.shape[:2]
    log_phrases = english.log_likelihood(candidates).float().flatten(1).T
    if neuralese.spells:
        message, about = neuralese.log_likelihood(candidates).float().flatten(1).T.numpy(), {"noise": None}
    else:
        views = neuralese.game.speaker_view(candidates.flatten(0, 1))
        mean, noise, units = neuralese.speaker.standard(views)
        message, about = mean.detach().numpy(), {"noise": noise}
        about |= {} if units is None else {"units": units.detach().tolist()}
    table = pa.table(
        {
            "context_id": np.repeat(np.arange(contexts, dtype=np.int32), states),
            "candidate": np.tile(np.arange(states, dtype=np.int32), contexts),
            "message": vectors(message),
            "log_phrases": vectors(log_phrases.numpy()),
        }
    )
    write_table(path, table, "meanings", about)


@dataclass(frozen=True)
class MeaningsTable:
    """What is said in the candidates of each context, one row per candidate, and the languages made from it."""

    message: np.ndarray  # (rows, message) the robot's mean messages
    log_phrases: np.ndarray  # (rows, phrases)
    noise: float | None  # standard deviation of the robot's messages around the mean; none if they are log p of symbols
    candidates: np.ndarray  # (n, s) the rows of each context, the true state first
    units: np.ndarray | None = None  # (message,) divisors of messages, if each entry has its own noise

    def first(self, contexts: int | None) -> "MeaningsTable":
        """The same in the first contexts only, or in all."""
        return replace(self, candidates=self.candidates[:contexts])

    def messages(self, messages: np.ndarray) -> "TabledMessages | TabledSymbols":
        """Any messages (K, message); for a robot that speaks in symbols, (K,) places in the vocabulary."""
        if self.noise is None:
            return TabledSymbols(self, messages)
        return TabledMessages(self, messages if self.units is None else messages / self.units, self.noise)

    def phrases(self, bags: Sequence[Sequence[int]]) -> "TabledPhrases":
        """Any phrases said together, each bag given by its phrases' ids."""
        return TabledPhrases(self, tuple(map(tuple, bags)))


@dataclass(frozen=True)
class TabledMessages(Language):
    """Messages (K, message) of a robot, like `Neuralese`; candidates are rows of the table."""

    table: MeaningsTable
    messages: np.ndarray
    width: float

    def __len__(self) -> int:
        return len(self.messages)

    def read(self, reading: Reading) -> "TabledMessages":
        """See `Language`."""
        return replace(self, width=reading.width(self.table.noise or 0.0))

    @property
    def log_peak(self) -> float:  # type: ignore[override]  # derived here
        """See `Language`."""
        return log_peak(self.messages.shape[1], self.width)

    def log_likelihood(self, candidates: np.ndarray) -> np.ndarray:
        """See `Language`; in single precision, like the speaker's."""
        means = self.table.message[candidates.reshape(-1)]
        return log_density(self.messages, means, self.width).reshape(-1, *candidates.shape)


@dataclass(frozen=True)
class TabledSymbols(Language):
    """Messages (K,) of a robot that speaks in symbols, by their places in the vocabulary."""

    table: MeaningsTable
    places: np.ndarray
    scale: float = 1.0

    def __len__(self) -> int:
        return len(self.places)

    def read(self, reading: Reading) -> "TabledSymbols":
        """See `Language`."""
        return replace(self, scale=reading.width(1.0))

    def log_likelihood(self, candidates: np.ndarray) -> np.ndarray:
        """See `Language`."""
        log_prob = self.table.message[candidates.reshape(-1)][:, self.places].T
        return (log_prob / self.scale**2).reshape(-1, *candidates.shape)


@dataclass(frozen=True)
class TabledPhrases(Language):
    """Bags of phrases, like `Composed`; candidates are rows of the table."""

    table: MeaningsTable
    bags: tuple[tuple[int, ...], ...]
    join: str = "product"

    def __len__(self) -> int:
        return len(self.bags)

    def read(self, reading: Reading) -> "TabledPhrases":
        """See `Language`."""
        return replace(self, join=reading.join)

    @cached_property
    def by_size(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The places of all bags of one size, (b,), and their phrases, (size, b)."""
        sizes = np.array([len(bag) for bag in self.bags])
        places = [np.flatnonzero(sizes == size) for size in np.unique(sizes)]
        return [(place, np.array([self.bags[each] for each in place]).T) for place in places]

    def log_likelihood(self, candidates: np.ndarray) -> np.ndarray:
        """See `Language`."""
        log_prob = self.table.log_phrases[candidates.reshape(-1)].T.astype(np.float64)
        joined = np.empty((len(self), log_prob.shape[1]))
        for place, phrases in self.by_size:
            joined[place] = sum(log_prob[each] for each in phrases) / (len(phrases) if self.join == "mean" else 1)
        return joined.reshape(-1, *candidates.shape)


def read_meanings(path: str | Path) -> MeaningsTable:
    """Read what `write_meanings` wrote."""
    table = read_table(path, "meanings", check_every_value=False)  # reading has to be quick
    candidates = np.arange(len(table)).reshape(-1, int(numbers(table["candidate"]).max()) + 1)
    about = read_about(path)
    units = np.array(about["units"], dtype=np.float32) if "units" in about else None
    return MeaningsTable(matrix(table["message"]), matrix(table["log_phrases"]), about["noise"], candidates, units)
