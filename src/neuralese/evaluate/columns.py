"""The columns that describe a state: how far apart two states are in each, and which class a state belongs to.

Types are those of a corpus: `category`, `number`, `circular` with a `period`, `color` (`#rrggbb` or three numbers from
0 to 255) and `vector` (a list of numbers). Distances are Gower's (1971), the mean over columns of

    category    0 if equal, else 1
    number      |a - b| / (greatest - least)
    circular    the shorter way round / (period / 2)
    color       Euclidean distance in CIELAB / 100, so that black and white are 1 apart
    vector      Euclidean distance / (2 * the greatest distance from the mean)

where least, greatest and mean are those of all states measured. If all columns are categories, this is the Hamming
distance divided by their number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from skimage.color import rgb2lab
from sklearn.cluster import KMeans

from neuralese.errors import NeuraleseError
from neuralese.evaluate.protocol import BINS, bins

TYPES = ("category", "number", "circular", "color", "vector")
CLUSTERED = 10_000  # maximum number of states for clustering colours and vectors
BLOCK = 2**22  # numbers compared at a time


@dataclass(frozen=True)
class Column:
    """What a column of the states holds."""

    type: str
    period: float | None = None

    def __post_init__(self) -> None:
        if self.type not in TYPES:
            raise NeuraleseError(f"a column has the type '{self.type}'; choose one of {', '.join(TYPES)}.")
        if (self.type == "circular") != (self.period is not None) or (self.period is not None and self.period <= 0):
            raise NeuraleseError("a circular column, and no other, needs a period above 0; set one, such as 360.")


def columns_of(types: Mapping[str, Mapping]) -> dict[str, Column]:
    """The columns of states declared in `corpus.yaml`, such as `{"angle": {"type": "circular", "period": 360}}`."""
    return {name: Column(**each) for name, each in types.items()}


@dataclass(frozen=True)
class Points:
    """A column as points (n, d), scaled to give the distances described above; a category as its code."""

    type: str
    values: np.ndarray

    def distances(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Distances of the rows `left` (p,) from `right` (p,): (p,)."""
        if self.type == "category":
            return (self.values[left, 0] != self.values[right, 0]).astype(np.float64)
        if self.type == "circular":
            way = np.abs(self.values[left, 0] - self.values[right, 0])
            return 2 * np.minimum(way, 1 - way)
        return euclidean(self.values, left, right)

    def classes(self, seed: int = 0) -> np.ndarray:
        """The class of each row (n,), for measures in bits.

        Categories are classes; numbers and circular values, from 0 to the period, are cut as `protocol.bins` does;
        colours and vectors become the nearest of as many k-means clusters, unless they have few values.
        """
        if self.type == "category":
            return self.values[:, 0].astype(np.int64)
        if self.type in ("number", "circular"):
            return bins(pd.Series(self.values[:, 0]))
        some = self.values[np.random.default_rng(seed).permutation(len(self.values))[:CLUSTERED]]
        if len(np.unique(some, axis=0)) > BINS:
            return KMeans(BINS, n_init=3, random_state=seed).fit(some).predict(self.values).astype(np.int64)
        return np.unique(self.values, axis=0, return_inverse=True)[1].reshape(-1)


def state_points(states: pd.DataFrame, columns: Mapping[str, Column]) -> dict[str, Points]:
    """The `columns` of states as points."""
    return {name: Points(column.type, _values(states[name], column)) for name, column in columns.items()}


def _values(values: pd.Series, column: Column) -> np.ndarray:
    if column.type == "category":
        return pd.factorize(values)[0].astype(np.float64)[:, None]
    if column.type == "color":
        return _lab(values) / 100
    if column.type == "vector":
        found = np.array(values.tolist(), dtype=np.float64).reshape(len(values), -1)
        found -= found.mean(0)
        return found / ((2 * np.linalg.norm(found, axis=1).max()) or 1)
    numbers = values.to_numpy(dtype=np.float64)[:, None]
    if column.type == "circular":
        return numbers % column.period / column.period
    return (numbers - numbers.min()) / (np.ptp(numbers) or 1)


def _lab(values: pd.Series) -> np.ndarray:
    """Colours in CIELAB, (n, 3)."""
    if isinstance(values.iloc[0], str):
        digits = "".join(values).replace("#", "")
        rgb = np.frombuffer(bytes.fromhex(digits), dtype=np.uint8).reshape(-1, 3).astype(np.float64)
    else:
        rgb = np.array(values.tolist(), dtype=np.float64)
    return rgb2lab(rgb[None] / 255)[0]


def state_classes(points: Mapping[str, Points], seed: int = 0) -> pd.DataFrame:
    """The class of each state in each column."""
    return pd.DataFrame({name: each.classes(seed) for name, each in points.items()})


def state_distances(points: Mapping[str, Points], left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Distances of the states in the rows `left` (p,) from those in `right` (p,): (p,)."""
    total: Any = sum(each.distances(left, right) for each in points.values())
    return (total / len(points)).round(12)  # so that equal distances are equal, whatever the order of summation


def euclidean(found: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Euclidean distances of rows `left` and `right` (p,) of points (n, d)."""
    block, result = max(1, BLOCK // found.shape[1]), np.empty(len(left))
    for start in range(0, len(left), block):
        part = slice(start, start + block)
        result[part] = np.linalg.norm(found[left[part]] - found[right[part]], axis=1)
    return result
