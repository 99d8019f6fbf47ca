"""Do messages convey anything about states? A permutation test, for all states and for each of their columns."""

from typing import Protocol

import numpy as np
import pandas as pd

from neuralese.evaluate.information import joint, row_labels

PERMUTATIONS = 499
KEPT = 63  # number of labels a test distinguishes; rarer ones count as one
LEAST = 1e-9  # smaller differences between statistics are rounding


class Evidence(Protocol):
    """Statistics of messages for the test of whether they convey anything."""

    def statistics(self, classes: list[np.ndarray]) -> np.ndarray:
        """Statistics (kinds, columns) that grow with what messages convey about each column's classes (n,)."""


def p_values(evidence: Evidence, classes: pd.DataFrame, seed: int = 0, permutations: int = PERMUTATIONS) -> pd.Series:
    """p-values that messages say nothing about each column of `classes`, and (under "") nothing about states at all.

    States are shuffled over messages, whole, `permutations` times. Each statistic of `evidence` for a column is
    standardised by its mean and deviation over all shuffles and the truth; a column is scored by the largest of them,
    states by the largest over all columns and their combination. p is the share of shuffles, including the truth,
    that score at least as high as the truth: uniform if messages are independent of states and of each other.
    """
    random = np.random.default_rng(seed)
    table = [pooled(classes[name].to_numpy()) for name in classes]
    table.append(pooled(joint([classes[name].to_numpy() for name in classes])))
    orders = [np.arange(len(classes)), *(random.permutation(len(classes)) for _ in range(permutations))]
    found = np.stack([evidence.statistics([each[order] for each in table]) for order in orders])
    spread = found.std(0)
    found = (found - found.mean(0)) / np.where(spread > LEAST, spread, np.inf)
    by_column = found.max(1)  # (shuffles, columns and their combination)
    counts = np.column_stack([by_column.max(1), by_column[:, :-1]])
    return pd.Series((counts >= counts[0] - LEAST).mean(0), index=["", *classes.columns])


def pooled(labels: np.ndarray) -> np.ndarray:
    """Labels with the rarest merged into one, so that at most `KEPT` + 1 are left; numbered from 0."""
    codes = pd.factorize(labels)[0]
    counts = np.bincount(codes)
    if len(counts) <= KEPT + 1:
        return codes
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    return np.minimum(rank[codes], KEPT)


class SymbolEvidence:
    """Information in the message as a whole, in the symbol at each position, and summed over all positions.

    If nearly every message is unique, whole messages seem to convey as much about shuffled states as about the true
    ones; then the positions show whether there is a relation.
    """

    def __init__(self, symbols: np.ndarray) -> None:
        rows = [row_labels(symbols), *(symbols.T if symbols.shape[1] > 1 else [])]
        self.parts = [pooled(row) for row in rows]
        count = np.arange(len(symbols) + 1)
        self.terms = count * np.log2(np.maximum(count, 1))

    def statistics(self, classes: list[np.ndarray]) -> np.ndarray:
        """See `Evidence`. Marginal entropies do not change under shuffling, so joint frequencies are enough."""
        found = np.empty((len(self.parts) + 1, len(classes)))
        for column, labels in enumerate(classes):
            size = int(labels.max()) + 1
            for row, part in enumerate(self.parts):
                found[row, column] = self.terms[np.bincount(part * size + labels)].sum()
        found[-1] = found[1:-1].sum(0)
        return found


class VectorEvidence:
    """How far apart the means of classes are, of whitened messages and of random Fourier features of them.

    The second approximates the Hilbert-Schmidt independence criterion (Gretton et al. 2005) with a Gaussian
    kernel as wide as the median distance, which is greater than chance under any kind of dependence.
    """

    MOST, PROJECTED = 64, 256  # number of directions used, and of those they are chosen from
    FEATURES, SAMPLE = 64, 1000  # number of random frequencies, and of messages for the median distance

    def __init__(self, vectors: np.ndarray, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        spread = vectors.std(0)
        scaled = (vectors - vectors.mean(0)) / np.where(spread > 0, spread, 1)
        if scaled.shape[1] > self.PROJECTED:  # lengths and angles are nearly preserved, and the next line takes seconds
            scaled = scaled @ random.standard_normal((scaled.shape[1], self.PROJECTED))
        left, size, _ = np.linalg.svd(scaled, full_matrices=False)
        solid = size > 1e-6 * np.sqrt(scaled.size)
        kept = min(self.MOST, max(1, len(vectors) // 10), max(1, int(solid.sum())))
        white = left[:, :kept] * solid[:kept] * np.sqrt(len(left))
        points = left[:, :kept] * size[:kept]
        some = points[random.permutation(len(points))[: self.SAMPLE]]
        distances = np.linalg.norm(some - some[random.permutation(len(some))], axis=1)
        waves = points @ random.standard_normal((kept, self.FEATURES)) / (np.median(distances) or 1)
        fourier = np.concatenate([np.cos(waves), np.sin(waves)], axis=1)
        self.features = np.concatenate([white, fourier - fourier.mean(0)], axis=1).astype(np.float32)
        self.starts = [0, kept]

    def statistics(self, classes: list[np.ndarray]) -> np.ndarray:
        """See `Evidence`: the sum over classes of their sizes times the squared length of their mean."""
        sizes = [int(labels.max()) + 1 for labels in classes]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        said = np.zeros((starts[-1], len(self.features)), dtype=np.float32)  # of all columns, for a single product
        for start, labels in zip(starts, classes, strict=False):
            said[start + labels, np.arange(len(labels))] = 1
        sums = (said @ self.features).astype(np.float64) ** 2 / np.maximum(said.sum(1), 1)[:, None]
        return np.add.reduceat(np.add.reduceat(sums, starts[:-1], axis=0), self.starts, axis=1).T
