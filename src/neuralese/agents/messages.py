"""What agents say: vectors or sequences of symbols, and the tables of messages and contexts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.config.models import MessagesConfig
from neuralese.errors import NeuraleseError
from neuralese.games.states import States
from neuralese.storage.tables import matrix, read_about, read_table

EMBEDDED = 1000  # maximum of each number of messages and contexts on the embedded stand-in: enough for a first look
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
        first, ids = distinct(self.places)
        return self[first], ids, ids.bincount(minlength=len(first))


def distinct(rows: Tensor) -> tuple[Tensor, Tensor]:
    """The first of each of the K different rows of numbers (n, ...), in their order, (K,), and which each is, (n,).

    Much faster than `torch.unique` along a dimension, which compares whole rows.
    """
    code, size = torch.zeros(len(rows), dtype=torch.int64), 1
    for column in rows.flatten(1).T if len(rows) else ():
        values, place = column.unique(return_inverse=True)
        if size * len(values) >= 2**62:
            codes, code = code.unique(return_inverse=True)
            size = len(codes)
        code, size = code * len(values) + place, size * len(values)
    codes, ids = code.unique(return_inverse=True)
    first = torch.full((len(codes),), len(rows)).scatter_reduce_(0, ids, torch.arange(len(rows)), "amin")
    return first, ids


def on_data(counts: MessagesConfig, data: str) -> MessagesConfig:
    """The numbers of messages and contexts for one kind of data."""
    if data != "embedded":
        return counts
    capped = {name: min(getattr(counts, name), EMBEDDED) for name in ("vocabulary", "held_out", "contexts")}
    return counts.model_copy(update=capped)


@dataclass(frozen=True)
class Speech:
    """Messages of a robot, each with the state in which it was said."""

    ids: Tensor  # (n,)
    states: Tensor  # (n, s, ...)
    messages: Messages  # (n, message) vectors, or n sequences of symbols
    picked: Tensor | None = None  # (n,) whether the real listener understood, 1 or 0; -1 if unknown

    def __getitem__(self, rows: Tensor | slice) -> "Speech":
        """Some of the messages."""
        picked = None if self.picked is None else self.picked[rows]
        return Speech(self.ids[rows], self.states[rows], self.messages[rows], picked)

    def first(self, count: int | None) -> "Speech":
        """The first `count`, or all."""
        return self[:count]


def states_table(game: States, states: Tensor, id_column: str, first: int = 0) -> pa.Table:
    """States (n, s, ...) as a table, numbered from `first`."""
    columns = {id_column: torch.arange(first, first + len(states)), **game.to_columns(states)}
    return pa.table({name: pa.array(column.numpy().astype(np.int32)) for name, column in columns.items()})


def _states(table: pa.Table, game: States) -> Tensor:
    numbers = [name for name in table.column_names if pa.types.is_int32(table[name].type)]
    return game.from_columns({name: torch.from_numpy(table[name].to_numpy().astype(np.int64)) for name in numbers})


def read_contexts(path: str | Path, game: States) -> Tensor:
    """The speaker states (n, s, ...) of `contexts.parquet`."""
    return _states(read_table(path, "contexts"), game)


def read_messages(path: str | Path, game: States) -> dict[str, Speech]:
    """The messages of `messages.parquet`, by split."""
    table = read_table(path, "messages")
    split = table["split"].to_numpy(zero_copy_only=False)
    ids = torch.from_numpy(table["message_id"].to_numpy().astype(np.int64))
    picked = torch.from_numpy(table["picked"].to_numpy().copy()) if "picked" in table.column_names else None
    said = Speech(ids, _states(table, game), contents(table["message"], read_about(path)), picked)
    return {name: said[torch.from_numpy(np.flatnonzero(split == name))] for name in dict.fromkeys(split)}


def contents(column: pa.ChunkedArray, about: Mapping[str, Any]) -> Messages:
    """Messages as columns of a table: vectors, or symbols whose vocabulary and greatest length are in `about`."""
    if not pa.types.is_fixed_size_list(column.type):
        return sequences(column.to_pylist(), about)
    return torch.from_numpy(matrix(column).copy())


def sequences(messages: Iterable[Sequence[int]], about: Mapping[str, Any]) -> Sequences:
    """Symbols as models expect them."""
    known = (about["end"], about["vocabulary"], about["longest"])
    return replace(Sequences.of(messages, *known), names=tuple(about.get("names", ())))
