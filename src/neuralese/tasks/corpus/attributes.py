"""Phrases made from the states' columns, if no human said anything: "shape 2", "small size", "angle near 90", "red".

Every phrase is true of its state. A number is small, medium or large by the terciles of the training states, a circular
value near one of eight directions, a colour has the nearest basic name. Vectors and images yield none.
"""

from collections.abc import Iterable

import numpy as np

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.colors import basic_names
from neuralese.tasks.corpus.states import StateColumn

DIRECTIONS = 8
SIZES = np.array(["small", "medium", "large"])
SPEAKING = ("category", "number", "circular", "color")


def attributes(columns: Iterable[StateColumn], training: np.ndarray) -> list[list[str]]:
    """What is said about each state: one phrase for each column that yields one.

    `training` are the states of training messages, as often as they occur.
    """
    columns = list(columns)
    speaking = [column for column in columns if column.type in SPEAKING]
    if not speaking:
        raise NeuraleseError(
            "corpus.yaml: no phrases can be made from the states, since 'states' names only vectors and images; name a "
            "category, number, circular or color column there, or add utterances.csv."
        )
    alone = sum(column.type == "color" for column in columns) == 1
    said = [_phrases(column, training, alone) for column in speaking]
    return [list(phrases) for phrases in zip(*said, strict=True)]


def _phrases(column: StateColumn, training: np.ndarray, alone: bool) -> list[str]:
    """What one column says about each state; a single colour column is not named."""
    match column.type:
        case "category":
            texts = np.array([f"{column.name} {name}" for name in column.names], dtype=object)
            return texts[column.values].tolist()
        case "number":
            texts = np.array([f"{size} {column.name}" for size in SIZES], dtype=object)
            return texts[terciles(column.values, column.values[training])].tolist()
        case "circular":
            assert column.period is not None  # its settings say it
            step = column.period / DIRECTIONS
            texts = np.array([f"{column.name} near {place * step:.4g}" for place in range(DIRECTIONS)], dtype=object)
            return texts[np.round(column.values / step).astype(int) % DIRECTIONS].tolist()
    names = basic_names(column.values)
    return names if alone else [f"{name} {column.name}" for name in names]


def terciles(values: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The third of the training values that each value is in: 0, 1 or 2.

    A value counts as the middle of the training values equal to it, so of two equally frequent values one is small
    and the other large, and a value that is always the same is neither.
    """
    ordered = np.sort(training)
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    place = (below + up_to) / (2 * len(ordered))
    return (place >= 1 / 3).astype(int) + (place > 2 / 3)
