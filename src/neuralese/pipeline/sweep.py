"""Sweeps: config values over lists; every combination is a point (`neuralese.config.load`).

A stage is run once for each combination of the swept values that it depends on, not once for each point: `relevant`
reduces a point to what matters for one file.
"""

from typing import TYPE_CHECKING, Any

from neuralese.pipeline.stages import DATA
from neuralese.storage.errors import NeuraleseError

if TYPE_CHECKING:
    import pandas as pd

Value = int | float | bool | str
Point = dict[str, Value]  # dotted key -> value


def relevant(point: Point, sections: frozenset[str], task: str, config: dict) -> Point:
    """The part of `point` that matters for a file of `task` that depends on `sections`.

    A value that `config` has anyway does not matter: there, the point is the run itself.
    """
    kept = {}
    for key, value in point.items():
        path = key.split(".")
        if _matters(path, sections, task) and _look_up(config, path) != value:
            kept[key] = value
    return kept


def _matters(path: list[str], sections: frozenset[str], task: str) -> bool:
    """Whether a key is in these sections, and not about another task."""
    return path[0] in sections and not (DATA - {task}) & set(path[:2])


def _look_up(config: Any, path: list[str]) -> Any:
    for key in path:
        config = config.get(key) if isinstance(config, dict) else None
    return config


def name(point: Point) -> str:
    """The name of a point's folder, such as `agent.noise=0.1,dictionary.n_best=5`."""
    return ",".join(f"{key}={value}" for key, value in point.items())


def named(text: str, sweep: dict[str, list[Value]]) -> Point:
    """The point called `text`; it may leave out keys of the sweep."""
    point = {}
    for part in text.split(",") if text else []:
        key, _, wanted = part.partition("=")
        found = [value for value in sweep.get(key, []) if str(value) == wanted]
        if not found:
            raise NeuraleseError(f"the config does not sweep over '{part}'; add it under 'sweep' to get such a point.")
        point[key] = found[0]
    return point


def tidy(tables: "list[pd.DataFrame]", at: list[Point]) -> "pd.DataFrame":
    """One table from the tables made at the points `at`, with a column for each swept key."""
    import pandas as pd  # planning a run needs none

    return pd.concat([table.assign(**point) for table, point in zip(tables, at, strict=True)], ignore_index=True)
