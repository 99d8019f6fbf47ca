"""What there is to talk about in a state: the variables of each task."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from torch import Tensor

from neuralese.games.game import Game
from neuralese.storage.tables import read_table

ATTRIBUTES = 6  # of birds: the most frequent phrases


def load_variables(tables: Mapping[str, str | Path], game: Game, states: Tensor) -> pd.DataFrame:
    """The variables of `states` (n, 2, ...), of whatever task `tables` belong to: `colors`, `traces`, or neither."""
    columns = pd.DataFrame({name: column.numpy() for name, column in game.to_columns(states).items()})
    if "colors" in tables:
        return color_variables(read_table(tables["colors"], "colors").to_pandas(), columns)
    if "target" in columns:
        inventory = read_table(tables["inventory"], "inventory")["phrase"].to_pylist()
        return bird_variables(read_table(tables["traces"], "traces").to_pandas(), inventory, columns)
    return driving_variables(columns)


def color_variables(colors: pd.DataFrame, states: pd.DataFrame) -> pd.DataFrame:
    """Lightness, chroma and hue of the target, and by how much it is lighter than the other colour."""
    lab = colors[["L", "a", "b"]].to_numpy(dtype=float)
    target, other = lab[states["target"]], lab[states["other"]]
    return pd.DataFrame(
        {
            "lightness": target[:, 0],
            "chroma": np.hypot(target[:, 1], target[:, 2]),
            "hue": np.degrees(np.arctan2(target[:, 2], target[:, 1])) % 360,
            "lighter than the other": target[:, 0] - other[:, 0],
        }
    )


def bird_variables(traces: pd.DataFrame, inventory: list[str], states: pd.DataFrame) -> pd.DataFrame:
    """For the most frequent attributes: does anybody say it of the target?"""
    said = traces.explode("phrases").dropna().drop_duplicates()
    has = {number: set(rows["item_id"]) for number, rows in said.groupby("phrases")}
    return pd.DataFrame(
        {inventory[number]: states["target"].isin(has.get(number, set())).astype(int) for number in range(ATTRIBUTES)}
    )


def driving_variables(states: pd.DataFrame) -> pd.DataFrame:
    """Where the car is, where it heads and where it has to go."""
    variables = states[["row", "col", "direction", "goal_row", "goal_col", "map"]].copy()
    away = (states["row"] - states["goal_row"]).abs() + (states["col"] - states["goal_col"]).abs()
    return variables.assign(**{"cells to go": away})
