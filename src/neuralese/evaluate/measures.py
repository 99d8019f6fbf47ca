"""The standard measures of emergent communication, for messages that are symbols and for messages that are vectors.

    columns = {"shape": {"type": "category"}, "angle": {"type": "circular", "period": 360}}
    table = measure_symbols(symbols, states, columns)
    table = measure_vectors(vectors, states, columns)

One row each (`measure`, `variable`, `value`); `variable` is a column of the states, or empty for all of them. Symbols
are integers from 0, (n, T), with -1 after the end of a message; states are the n rows of a table. What each measure is,
and how it differs from other implementations, is in docs/measures.md.

Columns of states have the types of a corpus: `category`, `number`, `circular` with a `period`, `color` (`#rrggbb` or
three numbers from 0 to 255) and `vector` (a list of numbers). Distances of states are Gower's (1971), the mean over
columns of distances that are at most about 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from neuralese.errors import NeuraleseError
from neuralese.evaluate.information import (
    Evidence,
    SymbolEvidence,
    VectorEvidence,
    entropy,
    gap,
    information,
    joint,
    learned_information,
    mutual_information,
    p_values,
    row_labels,
)

TYPES = ("category", "number", "circular", "color", "vector")
TESTED = 10_000  # maximum number of messages in the test of whether they say anything
LEARNED = 10_000  # maximum number of messages a classifier of vectors learns from, and is tested on
CLUSTERED = 10_000  # maximum number of states for clustering colours and vectors
BINS = 8  # for a continuous variable
PAIRS = 200_000
BLOCK = 2**22  # numbers compared at a time
EDITED = 2**15  # pairs whose edit distances are computed together
Columns = Mapping[str, Mapping[str, Any]]  # the type of each column, as in `corpus.yaml`


def measure_symbols(
    symbols: np.ndarray, states: pd.DataFrame, columns: Columns, seed: int = 0, groups: np.ndarray | None = None
) -> pd.DataFrame:
    """All measures of symbols (n, T) said in `states`; `groups` (n,) of messages that are not independent."""
    points = state_points(states, columns)
    classes = state_classes(points, seed)
    left, right = pairs(len(symbols), seed)
    apart = state_distances(points, left, right)
    message, said = row_labels(symbols), symbols[symbols >= 0]
    rows = [
        ("messages", "", len(symbols)),
        ("distinct_messages", "", message.max() + 1),
        ("message_entropy", "", entropy(message)),
        ("effective_vocabulary", "", 2 ** entropy(pd.factorize(said)[0]) if len(said) else 0),
        ("mean_length", "", len(said) / len(symbols)),
        ("effective_length", "", effective_length(symbols)),
        ("topographic_similarity", "", topographic_similarity(apart, edit_distances(symbols, left, right))),
        ("posdis", "", positional_disentanglement(symbols, classes)),
        ("bosdis", "", bag_of_symbols_disentanglement(symbols, classes)),
    ]
    for name, labels in {"": joint(_columns(classes)), **classes}.items():
        labels = np.asarray(labels)
        rows.append(("entropy", name, entropy(labels)))
        rows.append(("information", name, information(message, labels, seed)))
        rows.append(("information_plug_in", name, mutual_information(message, labels)))
    some = _tested(len(symbols), seed, groups)
    return _table(rows, SymbolEvidence(symbols[some]), classes.iloc[some], seed)


def measure_vectors(
    vectors: np.ndarray, states: pd.DataFrame, columns: Columns, seed: int = 0, groups: np.ndarray | None = None
) -> pd.DataFrame:
    """All measures of vectors (n, d) said in `states`; `groups` (n,) of messages that are not independent."""
    vectors = np.asarray(vectors, dtype=np.float64)
    points = state_points(states, columns)
    classes = state_classes(points, seed)
    left, right = pairs(len(vectors), seed)
    apart = state_distances(points, left, right)
    dimension, first = principal_spread(vectors)
    rows = [
        ("messages", "", len(vectors)),
        ("dimensions", "", vectors.shape[1]),
        ("effective_dimension", "", dimension),
        ("first_component", "", first),
        ("topographic_similarity", "", topographic_similarity(apart, euclidean(vectors, left, right))),
        ("topographic_similarity_cosine", "", topographic_similarity(apart, cosine(vectors, left, right))),
    ]
    some = np.random.default_rng(seed).permutation(len(vectors))[: 2 * LEARNED]
    for name in classes:
        labels = classes[name].to_numpy()
        rows.append(("entropy", name, entropy(labels)))
        rows.append(("information", name, learned_information(vectors[some], labels[some])))
    some = _tested(len(vectors), seed, groups)
    return _table(rows, VectorEvidence(vectors[some]), classes.iloc[some], seed)


def _tested(n: int, seed: int, groups: np.ndarray | None) -> np.ndarray:
    """The messages of n to test, at most `TESTED`: one per group, since those of a group may be alike."""
    some = np.random.default_rng(seed).permutation(n)
    if groups is not None:
        some = some[np.sort(np.unique(np.asarray(groups)[some], return_index=True)[1])]
    return some[:TESTED]


def _table(rows: list[tuple], evidence: Evidence, classes: pd.DataFrame, seed: int) -> pd.DataFrame:
    """`rows`, and the p values of the classes of tested messages."""
    tested = p_values(evidence, classes.reset_index(drop=True), seed)
    rows += [("p_value", name, value) for name, value in tested.items()]
    table = pd.DataFrame(rows, columns=["measure", "variable", "value"])
    return table.assign(value=table["value"].astype(float) + 0.0)  # turns a negative zero into zero


# messages


def effective_length(symbols: np.ndarray) -> float:
    """2^H of how the entropy of messages is spread over positions: the number of varying ones, if all vary equally.

    A position's share is the entropy of its symbols, "nothing" included, divided by the sum over positions. 0 if all
    messages are the same.
    """
    spread = np.array([entropy(pd.factorize(position)[0]) for position in symbols.T])
    if spread.sum() == 0:
        return 0.0
    share = spread[spread > 0] / spread.sum()
    return float(2 ** -(share * np.log2(share)).sum())


def positional_disentanglement(symbols: np.ndarray, classes: pd.DataFrame) -> float:
    """Posdis (Chaabouni et al. 2020): `gap` of the symbols at each position, counting "nothing" as one."""
    return gap([pd.factorize(position)[0] for position in symbols.T], _columns(classes))


def bag_of_symbols_disentanglement(symbols: np.ndarray, classes: pd.DataFrame) -> float:
    """Bosdis (Chaabouni et al. 2020): `gap` of the counts of each symbol in a message, for all symbols but the end."""
    counts = ((symbols == symbol).sum(1) for symbol in np.unique(symbols[symbols >= 0]))
    return gap([pd.factorize(each)[0] for each in counts], _columns(classes))


def _columns(classes: pd.DataFrame) -> list[np.ndarray]:
    return [classes[name].to_numpy() for name in classes]


def principal_spread(messages: np.ndarray) -> tuple[float, float]:
    """The effective dimension of messages (n, d), and the share of variance in their first direction.

    The effective dimension is the participation ratio of the covariance's eigenvalues, (their sum)^2 / sum of squares.
    Both are 1 on a line, and NaN if all messages are the same.
    """
    if np.ptp(messages, axis=0).max(initial=0) == 0:
        return float("nan"), float("nan")
    values = np.linalg.eigvalsh(np.atleast_2d(np.cov(messages.T)))
    return float(values.sum() ** 2 / (values**2).sum()), float(values[-1] / values.sum())


# states


def bins(values: pd.Series) -> np.ndarray:
    """Numbers as few classes: as they are if few, otherwise cut into equally frequent bins."""
    if values.nunique() <= BINS:
        return values.astype("category").cat.codes.to_numpy()
    return pd.qcut(values, BINS, labels=False, duplicates="drop").to_numpy()


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

        Categories are classes; numbers and circular values, from 0 to the period, are cut as `bins` does;
        colours and vectors become the nearest of as many k-means clusters, unless they have few values.
        """
        if self.type == "category":
            return self.values[:, 0].astype(np.int64)
        if self.type in ("number", "circular"):
            return bins(pd.Series(self.values[:, 0]))
        from sklearn.cluster import KMeans

        some = self.values[np.random.default_rng(seed).permutation(len(self.values))[:CLUSTERED]]
        if len(np.unique(some, axis=0)) > BINS:
            return KMeans(BINS, n_init=3, random_state=seed).fit(some).predict(self.values).astype(np.int64)
        return np.unique(self.values, axis=0, return_inverse=True)[1].reshape(-1)


def state_points(states: pd.DataFrame, columns: Columns) -> dict[str, Points]:
    """The `columns` of states as points."""
    return {name: Points(column["type"], _values(states[name], **column)) for name, column in columns.items()}


def _values(values: pd.Series, type: str, period: float | None = None) -> np.ndarray:
    if type not in TYPES:
        raise NeuraleseError(f"a column has the type '{type}'; choose one of {', '.join(TYPES)}.")
    if (type == "circular") != (period is not None and period > 0):
        raise NeuraleseError("a circular column, and no other, needs a period above 0; set one, such as 360.")
    if type == "category":
        return pd.factorize(values)[0].astype(np.float64)[:, None]
    if type == "color":
        return _lab(values) / 100
    if type == "vector":
        found = np.array(values.tolist(), dtype=np.float64).reshape(len(values), -1)
        found -= found.mean(0)
        return found / ((2 * np.linalg.norm(found, axis=1).max()) or 1)
    numbers = values.to_numpy(dtype=np.float64)[:, None]
    if type == "circular":
        return numbers % period / period
    return (numbers - numbers.min()) / (np.ptp(numbers) or 1)


def _lab(values: pd.Series) -> np.ndarray:
    """Colours in CIELAB, (n, 3)."""
    from skimage.color import rgb2lab

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


# distances of messages


def pairs(n: int, seed: int = 0, most: int = PAIRS) -> tuple[np.ndarray, np.ndarray]:
    """Rows `left` < `right` of n recordings: all pairs of them, or `most` pairs drawn independently."""
    if n * (n - 1) // 2 <= most:
        return np.triu_indices(n, 1)
    random = np.random.default_rng(seed)
    one, other = random.integers(n, size=most), random.integers(n - 1, size=most)
    other += other >= one
    return np.minimum(one, other), np.maximum(one, other)


def edit_distances(symbols: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Levenshtein's distance between messages `left` and `right` (p,) of symbols (n, T), -1 after the end: (p,).

    Inserting, deleting and replacing a symbol count as one edit each.
    """
    lengths = (symbols >= 0).sum(1)
    result = np.empty(len(left))
    for start in range(0, len(left), EDITED):
        part = slice(start, start + EDITED)
        one, other = left[part], right[part]
        result[part] = _edits(symbols[one].T, symbols[other].T, lengths[one], lengths[other])
    return result


def _edits(one: np.ndarray, other: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The usual table, for all pairs at once: the entry in each pair's last row and column. Messages are (T, p)."""
    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    above = np.repeat(np.arange(len(other) + 1, dtype=np.int16)[:, None], other.shape[1], axis=1)
    pair, result = np.arange(other.shape[1]), columns.astype(np.int16)  # relative to an empty message, all are inserted
    for row in range(1, rows.max(initial=0) + 1):
        below = np.empty_like(above)
        below[0] = row
        for column in range(1, columns.max(initial=0) + 1):
            replaced = above[column - 1] + (one[row - 1] != other[column - 1])
            edited = np.minimum(above[column], below[column - 1]) + np.int16(1)
            np.minimum(replaced, edited, out=below[column])
        here = rows == row
        result[here] = below[columns[here], pair[here]]
        above = below
    return result


def euclidean(found: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Euclidean distances of rows `left` and `right` (p,) of points (n, d)."""
    block, result = max(1, BLOCK // found.shape[1]), np.empty(len(left))
    for start in range(0, len(left), block):
        part = slice(start, start + block)
        result[part] = np.linalg.norm(found[left[part]] - found[right[part]], axis=1)
    return result


def cosine(vectors: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """1 - cosine of rows `left` and `right` (p,) of vectors (n, d); a vector of zeros is 1 away from all others."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(length == 0, 1, length)
    found = euclidean(units, left, right) ** 2 / 2  # |a - b|^2 / 2 is 1 - a.b for vectors of length 1
    return np.where((length[left, 0] == 0) | (length[right, 0] == 0), 1.0, found)


def topographic_similarity(states: np.ndarray, messages: np.ndarray) -> float:
    """Spearman's correlation of distances between states (p,) and messages (p,) (Brighton & Kirby 2006).

    1 if messages are farther apart the farther apart their states are; NaN if either distance is constant.
    """
    if len(states) < 2 or np.ptp(states) == 0 or np.ptp(messages) == 0:
        return float("nan")
    from scipy.stats import spearmanr

    return float(spearmanr(states, messages).statistic)
