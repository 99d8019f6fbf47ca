"""Messages that are sequences of symbols, and the tree of their prefixes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neuralese.errors import NeuraleseError

Messages = Any  # Tensor (n, message) of vectors | Sequences: a model takes the kind it was fitted to
NOTHING = -1  # fills `Sequences.to_array` after the end of a message


@dataclass(frozen=True)
class Sequences:
    """A batch of messages: message k is the symbols whose places in the vocabulary are `places[k, :lengths[k]]`.

    Past a message's end, places hold `len(vocabulary)`, which is the class of the end in every model of messages.
    The agents' end symbol itself is not part of a message: it is implied wherever a message is shorter than
    the longest. Where `ends` is false, all messages have the same length and none ever ends early.
    """

    places: Tensor  # (n, longest) int64
    vocabulary: tuple[int, ...]  # the agents' symbols, in ascending order, without the end
    ends: bool
    names: tuple[str, ...] = ()  # what the agents' symbols 0, 1, ... are called, if not by their numbers

    @classmethod
    def of(
        cls,
        messages: Iterable[Sequence[int]],
        end: int | None = None,
        vocabulary: Iterable[int] | None = None,
        longest: int | None = None,
    ) -> "Sequences":
        """Messages as lists, or as the rows of an array, of integers from 0, ignored from the symbol `end` on.

        The vocabulary and the greatest length are those that occur, unless given. Messages to be compared must share
        both: make one batch of all messages and index it.
        """
        rows = [np.asarray(message).reshape(-1) for message in messages]
        for number, row in enumerate(rows):
            if len(row) and (row.dtype.kind not in "iu" or row.min() < 0):
                raise NeuraleseError(f"message {number} is {row.tolist()}; write it as non-negative integers.")
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        flat = np.concatenate([*rows, []]).astype(np.int64)
        # the symbols in a grid with NOTHING after each message, then after each end as well
        grid = np.full((len(rows), lengths.max(initial=0)), NOTHING)
        grid[np.arange(grid.shape[1]) < lengths[:, None]] = flat
        if end is not None:
            grid[np.logical_or.accumulate(grid == end, axis=1)] = NOTHING
        lengths = (grid != NOTHING).sum(1)
        longest = max(1, int(lengths.max(initial=0))) if longest is None else longest
        if (lengths > longest).any():
            where = int(np.argmax(lengths > longest))
            raise NeuraleseError(f"message {where} has {lengths[where]} symbols; allow for them, or leave it out.")
        grid = np.pad(grid, ((0, 0), (0, max(0, longest - grid.shape[1]))), constant_values=NOTHING)[:, :longest]
        known = np.unique(grid[grid != NOTHING] if vocabulary is None else np.array([*vocabulary], dtype=np.int64))
        known = known[known != end] if end is not None else known
        places = np.searchsorted(known, grid)
        strange = (grid != NOTHING) & ~np.isin(grid, known)
        if strange.any():
            row, column = np.argwhere(strange)[0]
            raise NeuraleseError(f"message {row} has the symbol {grid[row, column]}; add it to the vocabulary.")
        places[grid == NOTHING] = len(known)
        ends = end is not None or bool((lengths < longest).any())
        return cls(torch.from_numpy(places), tuple(known.tolist()), ends)

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, chosen: Tensor | slice) -> "Sequences":
        """Some of the messages, with the same vocabulary and greatest length."""
        return replace(self, places=self.places[chosen])

    @property
    def longest(self) -> int:
        """The greatest length that a message can have."""
        return self.places.shape[1]

    @property
    def lengths(self) -> Tensor:
        """Number of symbols of each message, (n,)."""
        return (self.places != len(self.vocabulary)).sum(1)

    def texts(self) -> list[str]:
        """The symbols of each message, separated by spaces; nothing for an empty message."""
        words = [self.names[symbol] if self.names else str(symbol) for symbol in self.vocabulary] + [""]
        return [" ".join(words[place] for place in row).rstrip() for row in self.places.tolist()]

    def to_array(self) -> np.ndarray:
        """The agents' symbols, (n, longest), with `NOTHING` after each message, as `neuralese.evaluate` expects."""
        return np.array([*self.vocabulary, NOTHING])[self.places.numpy()]

    def distinct(self) -> tuple["Sequences", Tensor, Tensor]:
        """The K different messages, in order of their symbols; the index of each message, (n,); counts, (K,)."""
        rows, ids, counts = np.unique(self.places.numpy(), axis=0, return_inverse=True, return_counts=True)
        return replace(self, places=torch.from_numpy(rows)), torch.from_numpy(ids.reshape(-1)), torch.from_numpy(counts)


@dataclass(frozen=True)
class Level:
    """The distinct prefixes of one length, each of them one of the shorter `parents` plus one class.

    Those that neither end nor have the greatest length continue: they are the parents of the next level, in order.
    """

    examples: Tensor  # (parents,) a sequence that begins with it
    parents: Tensor  # (prefixes,) which of the parents it extends, in ascending order
    classes: Tensor  # (prefixes,) with which place in the vocabulary, or the end
    goes_on: Tensor  # the prefixes that go on
    rows: Tensor  # the sequences completed at this level
    leaves: Tensor  # and which prefix each of them is


def prefix_tree(places: Tensor, end: int) -> list[Level]:
    """The prefixes of sequences (K, longest) that hold the class `end` after their last symbol, shortest first."""
    grid, levels = places.numpy(), []
    rows, prefix = np.arange(len(grid)), np.zeros(len(grid), dtype=np.int64)
    for step in range(grid.shape[1]):
        if not len(rows):
            break
        examples = rows[np.unique(prefix, return_index=True)[1]]
        codes, edge = np.unique(prefix * (end + 1) + grid[rows, step], return_inverse=True)
        parents, classes = np.divmod(codes, end + 1)
        alive = (classes != end) & (step + 1 < grid.shape[1])
        complete = ~alive[edge]
        arrays = (examples, parents, classes, np.flatnonzero(alive), rows[complete], edge[complete])
        levels.append(Level(*map(torch.from_numpy, arrays)))
        prefix, rows = (np.cumsum(alive) - 1)[edge[~complete]], rows[~complete]
    return levels
