"""What was said about the states of a corpus in words."""

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.speakers.traces import Lists, Traces, kept
from neuralese.storage.tables import read_table
from neuralese.tasks.corpus.game import CorpusStates
from neuralese.tasks.task import Files


def load_traces(files: Files, states: CorpusStates, split: str, generator: torch.Generator) -> Traces:
    """What was said in one split, with recorded or drawn candidates."""
    said = read_table(files["traces.parquet"], "traces")
    size = read_table(files["inventory.parquet"], "inventory").num_rows
    rows = kept(np.array(said["split"].to_pylist()) == split, said)
    phrases = Lists.of(said["phrases"].combine_chunks().take(pa.array(rows)), size)
    true = torch.from_numpy(said["item_id"].to_numpy()[rows].astype(np.int64))
    candidates = recorded_candidates(said["candidates"].combine_chunks().take(pa.array(rows)), true, states, generator)
    # what was said in the same state is translated and judged alike, so it is one item for intervals and tests
    return Traces(candidates, phrases, words=phrases, games=true)


def recorded_candidates(lists: pa.ListArray, true: Tensor, states: CorpusStates, generator: torch.Generator) -> Tensor:
    """The candidates (n, s) of what was said in `true` states (n,): recorded, or drawn if there are none."""
    drawn = states.with_distractors(true, generator)
    known = np.flatnonzero(lists.value_lengths().to_numpy())
    if len(known):
        drawn[torch.from_numpy(known)] = torch.from_numpy(
            lists.flatten().to_numpy().astype(np.int64).reshape(len(known), -1)
        )
    return drawn
