"""Arrays and data frames as a corpus: one row of states per message."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse

from neuralese.errors import NeuraleseError
from neuralese.recording import Recording
from neuralese.tasks.corpus.faults import shown

WIDEST = 64  # columns of an array that are treated separately; a wider array is one vector
FEWEST = 3  # messages: one each for training, dev and test


class InputError(NeuraleseError, ValueError):
    """The input cannot be learned from, or not translated; also a `ValueError`, as in scikit-learn."""


def record(
    folder: Path,
    said: tuple[Any, Any, Iterable[Any] | None],
    types: Mapping[str, Any] | None,
    settings: Mapping[str, Any] | None,
) -> int:
    """Write states, messages and utterances (or none) as a corpus; return the number of the states' columns."""
    try:
        return _record(folder, said, types, settings)
    except InputError:
        raise
    except NeuraleseError as error:
        raise InputError(str(error)) from None


def _record(folder: Path, said: tuple, types: Mapping | None, settings: Mapping | None) -> int:
    states, width = as_states(said[0])
    messages = as_message_list(said[1])
    texts: list[Any] = [None] * len(messages) if said[2] is None else list(said[2])
    for name, rows in (("messages", messages), ("utterances", texts)):
        if len(rows) != len(states):
            raise InputError(f"there are {len(states)} states and {len(rows)} {name}; give one of each in every row.")
    if len(states) < FEWEST:
        count = len(states)
        raise InputError(f"n_samples={count}: {count} messages cannot be split; give {FEWEST} or, better, many.")
    entries = dict(settings or {})
    with Recording(folder, "arrays", "unknown", types, entries.pop("messages", None), **entries) as recording:
        for state, message in zip(states, messages, strict=True):
            recording.say(state, message)
        for state, text in zip(states, texts, strict=True):
            for each in [text] if isinstance(text, str) else ([] if _missing(text) else text):
                if each.strip():
                    recording.describe(state, each)
    return width


def as_states(states: Any) -> tuple[list[dict[str, Any]], int]:
    """Each row as its columns by name, and the number of columns; arrays have x0, x1, ..., or a vector x."""
    if issparse(states):
        raise InputError("states are a sparse matrix; give a dense one, or a data frame (toarray() makes it dense).")
    if not isinstance(states, pd.DataFrame):
        array = np.asarray(states)
        if array.ndim == 0 or array.ndim > 2:
            raise InputError(f"states have {array.ndim} dimensions; Reshape your data to one row per message.")
        array = array[:, None] if array.ndim == 1 else array
        if np.iscomplexobj(array):
            raise InputError("Complex data not supported: states are complex numbers; give real ones.")
        if array.shape[1] == 0:
            raise InputError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
        if array.shape[1] > WIDEST:
            return [{"x": row.tolist()} for row in array], array.shape[1]
        states = pd.DataFrame({f"x{number}": column for number, column in enumerate(array.T)})
    columns = {str(name): _values(str(name), states[name]) for name in states.columns}
    if not columns:
        raise InputError("states have no columns; give one for each attribute of a state.")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], len(columns)


def _values(name: str, column: pd.Series) -> list:
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object).where(column.notna(), None)
        values = [None if value is None else str(value) for value in column]
    else:
        values = column.tolist()
    for row, value in enumerate(values):
        if _missing(value) or (isinstance(value, float) and not np.isfinite(value)):
            what = "inf" if isinstance(value, float) and value == value else "NaN"
            raise InputError(f"row {row} of '{name}' is {what}; give a finite value, or leave the row out.")
    return values


def as_message_list(messages: Any) -> list[list]:
    """Each message as a list of symbols or of numbers."""
    if isinstance(messages, pd.DataFrame):
        messages = messages.to_numpy()
    if messages is None:
        raise InputError("requires y to be passed, but the target y is None: give a message for each state.")
    rows = [each.tolist() if hasattr(each, "tolist") else each for each in messages]
    rows = [list(each) if isinstance(each, tuple | list) else [each] for each in rows]
    rows = [[part.item() if isinstance(part, np.generic) else part for part in row] for row in rows]
    for number, row in enumerate(rows):
        for part in row:
            if isinstance(part, complex) or not isinstance(part, int | float) or isinstance(part, bool):
                raise InputError(f"message {number} holds {shown(part)}; give symbols (integers) or vectors (floats).")
            if isinstance(part, float) and not np.isfinite(part):
                raise InputError(f"message {number} holds {part}, NaN or inf; give finite numbers.")
    return rows


def _missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and value != value)
