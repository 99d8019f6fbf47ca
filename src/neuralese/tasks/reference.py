"""A reference game over items, and what humans said about them, for a task that defines neither."""

import numpy as np
import pyarrow as pa
import torch

from neuralese.config.models import GameConfig
from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.games.states import States
from neuralese.speakers.traces import Lists, Traces, kept
from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.task import Files

SPLITS = ("train", "dev", "test")


def load_games(files: Files, config: GameConfig) -> dict[str, ReferenceGame]:
    """One reference game for each split; all share the same items, from which each draws its own."""
    path = files["items.parquet"]
    table = read_table(path, "items")
    features = torch.from_numpy(matrix(table["feature"]).copy())
    split = table["split"].to_numpy(zero_copy_only=False)
    pools = {name: torch.from_numpy(np.flatnonzero(split == name)) for name in SPLITS}
    for name, pool in pools.items():
        if len(pool) == 0:
            raise NeuraleseError(f"{path} has no item in the split '{name}'; rerun the stage that makes it.")
    rules = (config.steps, config.candidates, config.speaker_sees)
    return {name: ReferenceGame(features, pool, *rules) for name, pool in pools.items()}


def load_traces(files: Files, states: States, split: str, generator: torch.Generator) -> Traces:
    """What humans said about the items of one split, each message with other items as distractors."""
    items, said = read_table(files["items.parquet"], "items"), read_table(files["traces.parquet"], "traces")
    size = read_table(files["inventory.parquet"], "inventory").num_rows
    item = said["item_id"].to_numpy()
    rows = kept(items["split"].to_numpy(zero_copy_only=False)[item] == split, said)
    phrases = Lists.of(said["phrases"].combine_chunks().take(pa.array(rows)), size)
    targets = torch.from_numpy(item[rows].astype(np.int64))
    return Traces(states.with_distractors(targets, generator), phrases, words=phrases, games=torch.arange(len(rows)))
