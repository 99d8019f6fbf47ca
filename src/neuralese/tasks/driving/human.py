"""What human drivers said, in which states, and how the model human hears it."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.games.driving import DrivingWorld
from neuralese.games.states import States
from neuralese.speakers.traces import Lists, Traces, kept
from neuralese.storage.tables import read_table
from neuralese.tasks.driving.logs import Logged, cells, poses
from neuralese.tasks.driving.tables import GAMES, TURNS, WORDS
from neuralese.tasks.task import Files

if TYPE_CHECKING:
    from neuralese.translate.languages import Parts


def load_turns(files: Files, split: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Every turn of every game, with its map, and whether the game is of one split."""
    games, turns = (read_table(files[f"{each.name}.parquet"], each).to_pandas() for each in (GAMES, TURNS))
    games = turns[["game"]].merge(games, on="game", how="left", validate="many_to_one")
    return turns.assign(map=games["map"]), np.array(games["split"] == split)


def load_traces(files: Files, states: States, split: str, generator: torch.Generator) -> Traces:
    """What was said in the games of one split; the `item_id` of a trace is a row of the turns."""
    said, heard = read_table(files["traces.parquet"], "traces"), load_heard(files)
    (turns, inside), item = load_turns(files, split), said["item_id"].to_numpy()
    chosen = kept(inside[item], said)
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


@dataclass(frozen=True)
class Humans:
    """Humans of logged games, the drivers of both cars of each.

    The rules are the same for both cars, so those of a game are swapped where needed: the human has the second.
    """

    games: Tensor  # (n,)
    world: DrivingWorld  # where they began
    action: Tensor  # (n, turns) waiting at the end
    utterance: Tensor  # (n, turns) silence at the end
    arrives: Tensor  # (n,) bool: the human's car eventually arrives
    silence: int = -1  # the utterance that stands for saying nothing

    @classmethod
    def of(cls, turns: pd.DataFrame, utterances: np.ndarray, silence: int) -> "Humans":
        """The humans of the games in `turns`; `utterances` is what is said in each of its rows."""
        logged = Logged(turns)
        game, seat = torch.arange(2 * len(logged.ids)) // 2, torch.arange(2 * len(logged.ids)) % 2
        said = torch.from_numpy(utterances.astype(np.int64))[logged.row].where(logged.row >= 0, silence)
        start, swapped = logged.start()[game], (seat == 0)[:, None]
        cars = (torch.where(swapped, each.flip(1), each) for each in (start.pose, start.goal, start.arrived))
        return cls(
            games=torch.from_numpy(logged.ids)[game],
            world=DrivingWorld(start.map, *cars),
            action=logged.action[game, :, seat],
            utterance=said[game, :, seat],
            arrives=logged.done[game, :, seat].any(1),
            silence=silence,
        )

    def __getitem__(self, rows: Tensor) -> "Humans":
        parts = ("games", "world", "action", "utterance", "arrives")
        return replace(self, **{name: getattr(self, name)[rows] for name in parts})

    def repeating(self) -> "Humans":
        """The same humans, who repeat their last words instead of saying nothing."""
        said = self.utterance.clone()
        for turn in range(1, said.shape[1]):
            said[:, turn] = torch.where(said[:, turn] == self.silence, said[:, turn - 1], said[:, turn])
        return replace(self, utterance=said)


def load_humans(files: Files, split: str, parts: "Parts", silence: int) -> Humans:
    """The humans of one split; `parts` are the phrases of each utterance, one of which is `silence`."""
    (turns, inside), traces = load_turns(files, split), read_table(files["traces.parquet"], "traces")
    known = {each: number for number, each in enumerate(parts)}
    utterances = np.full(len(turns), silence)
    for row, said in zip(traces["item_id"].to_pylist(), traces["phrases"].to_pylist(), strict=True):
        utterances[row] = known.get(tuple(sorted(set(said))), silence)
    return Humans.of(turns[inside].reset_index(drop=True), utterances[inside], silence)
