"""Sweeps: config values over lists; every combination is a point.

points({"agent.noise": [0.1, 0.3], "dictionary.n_best": [1, 5]})    # four points: dotted key -> value
overlay(config, point)                                              # the config of one of them

A stage is run once for each combination of the swept values that it depends on, not once for each point: `relevant`
reduces a point to what matters for one file.
"""

import math
from itertools import product
from typing import TYPE_CHECKING, Any

from neuralese.pipeline.check import problem
from neuralese.pipeline.dependencies import SWEPT_SECTIONS
from neuralese.pipeline.stages import DATA
from neuralese.storage.errors import NeuraleseError

if TYPE_CHECKING:
    import pandas as pd

MOST_POINTS = 10_000  # of a sweep
Value = int | float | bool | str
Point = dict[str, Value]  # dotted key -> value

# sections of the config shared by all points, and why
FIXED = {
    "tasks": "every task of the config is run at every point",
    "seeds": "every seed of the config is run at every point",
    "results": "every point has its own folder already",
    "data": "all points share the raw data; give each source a run with its own 'results'",
    "sweep": "a sweep of sweeps is one sweep with more keys",
}


def points(sweep: dict[str, list[Value]]) -> list[Point]:
    """Every combination of the swept values; none if nothing is swept."""
    return [dict(zip(sweep, values, strict=True)) for values in product(*sweep.values())] if sweep else []


def overlay(config: dict, point: Point) -> dict:
    """A copy of `config` with the values of `point` in it, and without its sweep."""
    laid = {key: value for key, value in config.items() if key != "sweep"}
    for path, value in point.items():
        *sections, last = path.split(".")
        inner = laid
        for section in sections:
            below = inner.get(section)
            inner[section] = dict(below) if isinstance(below, dict) else {}
            inner = inner[section]
        inner[last] = value
    return laid


def sweep_problem(config: dict, schema: dict) -> str | None:
    """The first fault in the sweep of an otherwise valid config, or None."""
    if math.prod(len(values) for values in config.get("sweep", {}).values()) > MOST_POINTS:
        return f"config: sweep: there are more than {MOST_POINTS:,} combinations; shorten the lists."
    for key, values in config.get("sweep", {}).items():
        section = key.split(".")[0]
        if section in FIXED:
            return f"config: sweep: '{key}' cannot be swept: {FIXED[section]}."
        for value in values:
            if wrong := problem(overlay(config, {key: value}), schema):
                return wrong.replace("config:", "config: sweep:", 1)
        if section not in SWEPT_SECTIONS:
            can = ", ".join(sorted(SWEPT_SECTIONS - set(FIXED)))
            return f"config: sweep: '{key}' cannot be swept: no result depends on it; sweep keys of {can} instead."
        if not any(_matters(key.split("."), SWEPT_SECTIONS, task) for task in config["tasks"]):
            return f"config: sweep: '{key}' cannot be swept: it belongs to a task that is not in 'tasks'; add it there."
    return None


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
