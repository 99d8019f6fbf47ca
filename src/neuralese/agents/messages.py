"""What a trained agent says, to tables and back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import utterances
from neuralese.agents.sequences import Messages, Sequences
from neuralese.config.models import MessagesConfig
from neuralese.games.game import Game
from neuralese.games.states import States
from neuralese.storage.tables import matrix, read_about, read_table, vectors

EMBEDDED = 1000  # maximum of each number of messages and contexts on the embedded stand-in: enough for a first look


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

    def first(self, count: int | None) -> "Speech":
        """The first `count`, or all."""
        picked = None if self.picked is None else self.picked[:count]
        return Speech(self.ids[:count], self.states[:count], self.messages[:count], picked)


def sample_messages(cell: Cell, games: dict[str, Game], counts: dict[str, int], generator: torch.Generator) -> pa.Table:
    """Let the agent speak through its channel in `counts[split]` fresh states of each split."""
    parts: list[pa.Table] = []
    for split, count in counts.items():
        states, said = utterances(cell, games[split], count, generator)
        table = states_table(games[split], states, "message_id", first=sum(part.num_rows for part in parts))
        table = table.append_column("split", pa.array([split] * count))
        parts.append(table.append_column("message", vectors(cell.channel(said, generator).numpy())))
    return pa.concat_tables(parts)


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
    states, messages = _states(table, game), contents(table["message"], read_about(path))
    picked = torch.from_numpy(table["picked"].to_numpy().copy()) if "picked" in table.column_names else None
    rows = {name: torch.from_numpy(np.flatnonzero(split == name)) for name in dict.fromkeys(split)}
    return {
        name: Speech(ids[row], states[row], messages[row], None if picked is None else picked[row])
        for name, row in rows.items()
    }


def contents(column: pa.ChunkedArray, about: Mapping[str, Any]) -> Messages:
    """Messages as columns of a table: vectors, or symbols whose vocabulary and greatest length are in `about`."""
    if not pa.types.is_fixed_size_list(column.type):
        return sequences(column.to_pylist(), about)
    return torch.from_numpy(matrix(column).copy())


def sequences(messages: Iterable[Sequence[int]], about: Mapping[str, Any]) -> Sequences:
    """Symbols as models expect them."""
    known = (about["end"], about["vocabulary"], about["longest"])
    return replace(Sequences.of(messages, *known), names=tuple(about.get("names", ())))
