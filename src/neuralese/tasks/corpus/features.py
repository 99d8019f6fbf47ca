"""What the models see of states: one matrix, made of the typed columns."""

import math
from collections.abc import Iterable

import numpy as np

from neuralese.tasks.corpus.colors import rgb_to_lab
from neuralese.tasks.corpus.states import StateColumn

COMPONENTS = 64  # of a network's features of pictures, which have more dimensions than a corpus has data for
SMALLEST = 1e-9  # spread, as a share of the largest number; below it, differences are rounding


def feature_matrix(columns: Iterable[StateColumn], training: np.ndarray) -> tuple[np.ndarray, dict[str, slice]]:
    """Features (n, d) of n states in single precision, and which of the d belong to each column.

    A category is one-hot, a circular column its sine and cosine, a vector unchanged, a picture its components.
    Numbers and colours, as CIELAB, are standardised by the rows `training`: those in which training messages were said.
    """
    parts, places, first = [], {}, 0
    for column in columns:
        part = _features(column, training)
        parts.append(part)
        places[column.name] = slice(first, first + part.shape[1])
        first += part.shape[1]
    return np.concatenate(parts, axis=1, dtype=np.float32), places


def _features(column: StateColumn, training: np.ndarray) -> np.ndarray:
    match column.type:
        case "category":
            return np.eye(len(column.names), dtype=np.float32)[column.values]
        case "number":
            return _standard(column.values[:, None], training)
        case "circular":
            assert column.period is not None  # its settings say it
            angle = column.values * (2 * math.pi / column.period)
            return np.stack([np.sin(angle), np.cos(angle)], axis=1)
        case "color":
            return _standard(rgb_to_lab(column.values), training)
        case "image":
            return _components(column.values, training)
    return column.values


def _standard(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    scale = np.abs(values).max() or 1.0  # squares of the largest numbers would overflow
    seen = values[training] / scale
    spread = seen.std(0)
    return (values / scale - seen.mean(0)) / np.where(spread > SMALLEST, spread, 1)


def _components(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The directions in which the training rows differ most, at most `COMPONENTS`; the first has a spread of one."""
    rows = np.unique(training)
    center = values[rows].mean(0, dtype=np.float64)
    _, lengths, directions = np.linalg.svd(values[rows] - center, full_matrices=False)
    kept = max(1, min(COMPONENTS, int((lengths > SMALLEST * max(1.0, lengths[0])).sum())))
    directions = directions[:kept]
    largest = directions[np.arange(kept), np.abs(directions).argmax(1)]
    directions = directions * np.sign(largest)[:, None]  # the sign of a direction is arbitrary
    spread = lengths[0] / len(rows) ** 0.5
    return (values - center) @ directions.T / (spread if spread > SMALLEST else 1.0)
