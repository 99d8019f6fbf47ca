"""Recorded messages as the pipeline needs them: a speaker fitted to them, a vocabulary, held-out messages, contexts."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.agents.messages import Messages, Sequences, contents, states_table
from neuralese.config.models import FitConfig
from neuralese.speakers.fit import fit_recorded_speaker
from neuralese.speakers.models import Speaker
from neuralese.storage.tables import read_about, read_table, vectors
from neuralese.tasks.corpus.game import CorpusStates
from neuralese.tasks.corpus.human import recorded_candidates
from neuralese.tasks.corpus.tables import RECORDED


@dataclass(frozen=True)
class Recorded:
    """All messages of a corpus."""

    table: pa.Table  # of `recorded.parquet`
    about: dict
    messages: Messages

    @property
    def state(self) -> Tensor:
        """The state in which each was said, (n,)."""
        return torch.from_numpy(self.table["state"].to_numpy().astype(np.int64))

    def rows(self, split: str) -> Tensor:
        """The messages of one split."""
        return torch.from_numpy(np.flatnonzero(np.array(self.table["split"].to_pylist()) == split))


def load_recorded(path: str | Path) -> Recorded:
    """Read `recorded.parquet`."""
    table, about = read_table(path, RECORDED), read_about(path)
    return Recorded(table, about, contents(table["message"], about))


def fit_speaker(states: CorpusStates, recorded: Recorded, config: FitConfig, generator: torch.Generator) -> Speaker:
    """p(z | x) fitted to the training messages, of the kind under which dev messages are most likely."""
    return _fit(states, recorded, (recorded.rows("train"), recorded.rows("dev")), config, generator)


def fit_judge(
    states: CorpusStates, recorded: Recorded, split: str, config: FitConfig, generator: torch.Generator
) -> Speaker:
    """p(z | x) of the robot that hears translations in one split, fitted to messages of that split alone.

    The dictionary is made from the training messages, so the two share no message. A fifth of the messages, in whole
    groups, is held out to choose the weights.
    """
    rows = recorded.rows(split)
    groups, member = np.unique(recorded.table["group"].to_numpy()[rows.numpy()], return_inverse=True)
    order = torch.randperm(len(groups), generator=generator)
    held_out = torch.isin(torch.from_numpy(member), order[: max(1, len(groups) // 5)])
    if len(groups) == 1:
        return _fit(states, recorded, (rows, rows), config, generator)
    return _fit(states, recorded, (rows[~held_out], rows[held_out]), config, generator)


def _fit(
    states: CorpusStates,
    recorded: Recorded,
    rows: tuple[Tensor, Tensor],
    config: FitConfig,
    generator: torch.Generator,
) -> Speaker:
    """p(z | x) fitted to some messages, chosen by others."""
    said, held_out = ((recorded.state[each, None], recorded.messages[each]) for each in rows)
    return fit_recorded_speaker(states, said, held_out, config, generator, recorded.about.get("noise")).speaker


def take_messages(
    states: CorpusStates, recorded: Recorded, counts: Mapping[str, int], generator: torch.Generator
) -> pa.Table:
    """A vocabulary of training messages, each symbol sequence once, and held-out messages of dev and test.

    The columns of `messages.parquet`, plus `picked`. If there are more messages than wanted, some are drawn.
    """
    sizes = {"train": counts["vocabulary"], "dev": counts["held_out"], "test": counts["held_out"]}
    parts, first = [], 0
    for split, size in sizes.items():
        rows = recorded.rows(split)
        rows = rows[torch.randperm(len(rows), generator=generator)]
        if split == "train" and isinstance(recorded.messages, Sequences):
            _, place, _ = recorded.messages[rows].distinct()
            rows = rows[np.sort(np.unique(place.numpy(), return_index=True)[1])]
        rows = rows[:size].sort().values
        table = states_table(states, _candidates(states, recorded, rows, generator), "message_id", first)
        first += len(rows)
        table = table.append_column("split", pa.array([split] * len(rows)))
        chosen = pa.array(rows.numpy())
        table = table.append_column("message", _column(recorded.messages[rows]))
        parts.append(table.append_column("picked", recorded.table["picked"].combine_chunks().take(chosen)))
    return pa.concat_tables(parts)


def _column(messages: Messages) -> pa.Array:
    """Messages as a column of a table; symbols without the one that ends them."""
    if isinstance(messages, Sequences):
        return pa.array([row[row >= 0].tolist() for row in messages.to_array()], pa.list_(pa.int32()))
    return vectors(messages.numpy())


def take_contexts(states: CorpusStates, recorded: Recorded, count: int, generator: torch.Generator) -> Tensor:
    """The candidates (n, s) of some training messages."""
    rows = recorded.rows("train")
    rows = rows[torch.randperm(len(rows), generator=generator)][:count]
    return _candidates(states, recorded, rows, generator)


def _candidates(states: CorpusStates, recorded: Recorded, rows: Tensor, generator: torch.Generator) -> Tensor:
    lists = recorded.table["candidates"].combine_chunks().take(pa.array(rows.numpy()))
    return recorded_candidates(lists, recorded.state[rows], states, generator)
