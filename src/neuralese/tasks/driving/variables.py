"""What there is to say about the road."""

import pandas as pd

from neuralese.tasks.task import Files


def variables(files: Files, columns: pd.DataFrame) -> pd.DataFrame:
    """The variables of states, given as the columns of a table."""
    return driving_variables(columns)


def driving_variables(states: pd.DataFrame) -> pd.DataFrame:
    """Where the car is, where it is heading and where it has to go."""
    variables = states[["row", "col", "direction", "goal_row", "goal_col", "map"]].copy()
    away = (states["row"] - states["goal_row"]).abs() + (states["col"] - states["goal_col"]).abs()
    return variables.assign(**{"cells to go": away})
