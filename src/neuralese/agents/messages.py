"""What a trained agent says, as tables and back."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import speak
from neuralese.games.reference import ReferenceGame
from neuralese.tables import matrix, read_table, vectors

STATE_COLUMNS = ("target", "other")  # ids of a reference state's items


@dataclass(frozen=True)
class Speech:
    """Messages of a robot, each with the state in which it was said."""

    ids: Tensor  # (n,)
    states: Tensor  # (n, 2)
    messages: Tensor  # (n, message)


def sample_messages(
    cell: Cell, games: dict[str, ReferenceGame], counts: dict[str, int], generator: torch.Generator
) -> pa.Table:
    """Let the agent speak through its channel in `counts[split]` fresh states of each split."""
    states, messages, splits = [], [], []
    for split, count in counts.items():
        states.append(games[split].draw_states(count, generator))
        messages.append(cell.channel(speak(cell, games[split], states[-1]), generator))
        splits += [split] * count
    table = states_table(torch.cat(states), "message_id")
    return table.append_column("split", pa.array(splits)).append_column("message", vectors(torch.cat(messages).numpy()))


def states_table(states: Tensor, id_column: str) -> pa.Table:
    """States (n, 2) as a table that numbers them."""
    columns = {id_column: pa.array(np.arange(len(states), dtype=np.int32))}
    for name, column in zip(STATE_COLUMNS, states.T, strict=True):
        columns[name] = pa.array(column.numpy().astype(np.int32))
    return pa.table(columns)


def _states(table: pa.Table) -> Tensor:
    return torch.from_numpy(np.stack([table[name].to_numpy() for name in STATE_COLUMNS], axis=1).astype(np.int64))


def read_contexts(path: str | Path) -> Tensor:
    """The speaker states (n, 2) of `contexts.parquet`."""
    return _states(read_table(path, "contexts"))


def read_messages(path: str | Path) -> dict[str, Speech]:
    """The messages of `messages.parquet`, by split."""
    table = read_table(path, "messages")
    split = table["split"].to_numpy(zero_copy_only=False)
    ids = torch.from_numpy(table["message_id"].to_numpy().astype(np.int64))
    states, messages = _states(table), torch.from_numpy(matrix(table["message"]).copy())
    rows = {name: torch.from_numpy(np.flatnonzero(split == name)) for name in dict.fromkeys(split)}
    return {name: Speech(ids[row], states[row], messages[row]) for name, row in rows.items()}
