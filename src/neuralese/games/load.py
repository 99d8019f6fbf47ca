"""Build the game of a task from its tables: one for each split."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from neuralese.games.driving import DrivingGame
from neuralese.games.game import Game
from neuralese.games.reference import ReferenceGame
from neuralese.games.replay import cells, poses
from neuralese.games.roads import Layouts
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.tables import matrix, read_about, read_table

SPLITS = ("train", "dev", "test")


def load_games(tables: Mapping[str, str | Path], max_steps: int | None = None) -> dict[str, Game]:
    """The games by split, of whatever task `tables` belong to: `item_table`, or `maps` and `turns`."""
    steps = {} if max_steps is None else {"max_steps": max_steps}
    if "item_table" in tables:
        return load_reference_games(tables["item_table"], **steps)
    return dict.fromkeys(SPLITS, load_driving_game(tables["maps"], tables["turns"], **steps))


def load_reference_games(items: str | Path, max_steps: int = 3) -> dict[str, ReferenceGame]:
    """One reference game for each split; all share the same items, of which each draws its own."""
    table = read_table(items, "items")
    features = torch.from_numpy(matrix(table["feature"]).copy())
    split = table["split"].to_numpy(zero_copy_only=False)
    pools = {name: torch.from_numpy(np.flatnonzero(split == name)) for name in SPLITS}
    for name, pool in pools.items():
        if len(pool) == 0:
            raise NeuraleseError(f"{items} has no item in the split '{name}'; run the stage that makes it again.")
    return {name: ReferenceGame(features, pool, max_steps) for name, pool in pools.items()}


def driving_layouts(maps: pd.DataFrame, turns: pd.DataFrame) -> Layouts:
    """The roads, and where on each of them cars started from and had to go to."""
    roads = [[cell == "#" for cell in road.replace("\n", "")] for road in maps["road"]]
    first = turns[turns["turn"] == 0]
    per_map = [first[first["map"] == number] for number in maps["map"]]
    return Layouts(
        road=torch.tensor(roads),
        starts=[torch.from_numpy(np.unique(poses(rows))) for rows in per_map],
        goals=[torch.from_numpy(np.unique(cells(rows["goal_row"], rows["goal_col"]))) for rows in per_map],
    )


def load_driving_game(maps: str | Path, turns: str | Path, max_steps: int = 20) -> DrivingGame:
    """The driving game on the roads of the logged games, by the rules written into `maps`; all splits share it."""
    tables = (read_table(maps, "maps").to_pandas(), read_table(turns, "turns").to_pandas())
    return DrivingGame(driving_layouts(*tables), max_steps, **read_about(maps))
