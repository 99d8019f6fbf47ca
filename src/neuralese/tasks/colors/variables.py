"""What there is to say about a pair of colours."""

import numpy as np
import pandas as pd

from neuralese.storage.tables import read_table
from neuralese.tasks.colors.data import COLORS
from neuralese.tasks.task import Files


def variables(files: Files, columns: pd.DataFrame) -> pd.DataFrame:
    """The variables of states, given as the columns of a table."""
    return color_variables(read_table(files["colors.parquet"], COLORS).to_pandas(), columns)


def color_variables(colors: pd.DataFrame, states: pd.DataFrame) -> pd.DataFrame:
    """Lightness, chroma and hue of the target, and how much lighter it is than the other colour."""
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
