"""What human drivers said, in which states, and how the model human hears it."""

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.games.states import States
from neuralese.speakers.traces import Lists, Traces, kept
from neuralese.storage.tables import read_table
from neuralese.tasks.driving.replay import cells, poses
from neuralese.tasks.driving.tables import GAMES, TURNS, WORDS
from neuralese.tasks.task import Files


def load_traces(files: Files, states: States, split: str, generator: torch.Generator) -> Traces:
    """What was said in the games of one split; the `item_id` of a trace is a row of the turns."""
    said, heard = read_table(files["traces.parquet"], "traces"), load_heard(files)
    games, turns = (read_table(files[f"{each.name}.parquet"], each).to_pandas() for each in (GAMES, TURNS))
    turns = turns.join(games.set_index("game")["split"], on="game")
    item = said["item_id"].to_numpy()
    chosen = kept((turns["split"] == split).to_numpy()[item], said)
    rows = turns.iloc[item[chosen]]
    goal = cells(rows["goal_row"], rows["goal_col"])
    own = torch.from_numpy(np.stack([rows["map"].to_numpy(dtype=np.int64), poses(rows), goal], axis=1))
    phrases, words = (
        Lists.of(said[name].combine_chunks().take(pa.array(chosen)), size)
        for name, size in zip(("phrases", "words"), heard.shape, strict=True)
    )
    together = torch.from_numpy(rows["game"].to_numpy(dtype=np.int64))
    return Traces(states.with_distractors(own, generator), phrases, words, together)


def load_heard(files: Files) -> Tensor:
    """The bag of words that the model human hears for each phrase of the inventory: (phrases, words)."""
    inventory, words = read_table(files["inventory.parquet"], "inventory"), read_table(files["words.parquet"], WORDS)
    return Lists.of(inventory["words"].combine_chunks(), words.num_rows).bags(torch.arange(inventory.num_rows))
