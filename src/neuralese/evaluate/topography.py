"""Topographic similarity (Brighton & Kirby 2006): do similar states have similar messages?

Spearman's correlation between the distances of states and of messages, over pairs of recordings: 1 if messages are
farther apart the farther apart their states are, about 0 if they are unrelated. All pairs are compared if
there are at most `PAIRS` of them (632 recordings), otherwise as many pairs drawn with a seed.
"""

import numpy as np
from scipy.stats import spearmanr

from neuralese.evaluate.columns import euclidean

PAIRS = 200_000
BLOCK = 2**15  # pairs whose edit distances are computed together


def pairs(n: int, seed: int = 0, most: int = PAIRS) -> tuple[np.ndarray, np.ndarray]:
    """Rows `left` < `right` of n recordings: all pairs of them, or `most` pairs drawn independently."""
    if n * (n - 1) // 2 <= most:
        return np.triu_indices(n, 1)
    random = np.random.default_rng(seed)
    one, other = random.integers(n, size=most), random.integers(n - 1, size=most)
    other += other >= one
    return np.minimum(one, other), np.maximum(one, other)


def edit_distances(symbols: np.ndarray, left: np.ndarray, right: np.ndarray, by_length: bool = False) -> np.ndarray:
    """Levenshtein's distance between messages `left` and `right` (p,) of symbols (n, T), -1 after the end: (p,).

    Inserting, deleting and replacing a symbol count as one edit each. With `by_length` the number of edits is divided
    by the mean length of the two messages; two empty messages are 0 apart.
    """
    lengths = (symbols >= 0).sum(1)
    result = np.empty(len(left))
    for start in range(0, len(left), BLOCK):
        part = slice(start, start + BLOCK)
        one, other = left[part], right[part]
        result[part] = _edits(symbols[one].T, symbols[other].T, lengths[one], lengths[other])
    return result / np.maximum(1, lengths[left] + lengths[right]) * 2 if by_length else result


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


def vector_distances(vectors: np.ndarray, left: np.ndarray, right: np.ndarray, metric: str) -> np.ndarray:
    """`euclidean` or `cosine` (1 - cosine) distances of rows `left` and `right` (p,) of vectors (n, d).

    By cosine, a vector of zeros is 1 away from all others.
    """
    if metric == "euclidean":
        return euclidean(vectors, left, right)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = vectors / np.where(length == 0, 1, length)
    # |a - b|^2 / 2 is 1 - a.b for vectors of length 1
    found = euclidean(units, left, right) ** 2 / 2
    return np.where((length[left, 0] == 0) | (length[right, 0] == 0), 1.0, found)


def topographic_similarity(states: np.ndarray, messages: np.ndarray) -> float:
    """Spearman's correlation of distances between states (p,) and messages (p,); NaN if either is constant."""
    if len(states) < 2 or np.ptp(states) == 0 or np.ptp(messages) == 0:
        return float("nan")
    return float(spearmanr(states, messages).statistic)
