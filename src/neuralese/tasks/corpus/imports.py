"""Make a corpus from a flat file, from EGG's output, or from arrays and data frames.

Every row of a flat file is a message with the state it was said in. Messages are numbers, or letters and words, which
are numbered in alphabetical order. The types of columns are guessed, and the guesses are written into `corpus.yaml` to
be corrected.

EGG saves an `Interaction`, a torch file; it is read with `weights_only=True` and a stand-in for EGG's class, so that
nothing in it is ever executed. In EGG the symbol 0 ends messages of more than one symbol. A sender's input of one-hot
blocks becomes one category per block; other inputs become numbers or categories, or a vector if they are long. If the
receiver chose among inputs, the contexts are made as well.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from neuralese.errors import NeuraleseError, reason, shown
from neuralese.recording import Recording
from neuralese.tasks.corpus.columns import IS_INTEGER, IS_NUMBER, cells_of
from neuralese.tasks.corpus.files import Source, control_character, open_table
from neuralese.tasks.corpus.write import WIDE, check_free, guess_columns

WIDEST = 64  # columns of an array that are treated separately; a wider array is one vector
FEWEST = 3  # messages: one each for training, dev and test
INTEGER, NUMBER = re.compile(IS_INTEGER, re.ASCII), re.compile(IS_NUMBER, re.ASCII)
LIST = re.compile(r"[\[(]?\s*(.*?)\s*[\])]?", re.DOTALL)
SEPARATOR = re.compile(r"[\s,]+")
INTERACTION = "egg.core.interaction.Interaction"
SAVE = "save one with torch.save, or with EGG's InteractionSaver"
END = 0


@dataclass(frozen=True)
class Imported:
    """What an import made, for the user."""

    states: int
    messages: int
    kind: str
    columns: dict[str, dict]
    left_out: dict[str, str]  # columns, and why


def import_flat(
    kind: str,
    file: Path,
    folder: Path,
    message: str = "message",
    states: Iterable[str] = (),
    **roles: str | None,
) -> Imported:
    """Make a corpus from a CSV or JSON Lines file; column types are guessed.

    `message` is the column of messages; `states` are the columns of the states, by default all others. The columns
    `utterance` (what a person said about the state), `episode` and `split` may be named as well.
    """
    check_free(folder)
    source = open_table(file, f".{kind}")
    others = {role: name for role, name in roles.items() if name}
    named = [message, *others.values()]
    chosen = [*states] or [name for name in source.columns if name not in (*named, "state_id")]
    source.needs(*named, *chosen)
    if "state_id" in chosen:
        raise NeuraleseError(f"{file}: states are renumbered, so 'state_id' cannot be one of their columns; rename it.")
    values = {name: _values(source, name) for name in chosen}
    types, left_out = guess_columns(values)
    messages, form = _messages(source, message)
    texts: list[Any] = source.columns[others.pop("utterance")] if "utterance" in others else [None] * source.rows
    kept = {role: _values(source, name) for role, name in others.items()}
    recording = Recording(folder, file.stem, messages=form)
    for row in range(source.rows):
        state, more = {name: values[name][row] for name in types}, {role: cells[row] for role, cells in kept.items()}
        recording.say(state, messages[row], **more)
        if texts[row]:
            recording.describe(state, texts[row], **more)
    recording.write()
    return Imported(recording.n_states, source.rows, form["kind"], types, left_out)


def _values(source: Source, name: str) -> list:
    """The cells of a column as numbers, lists of numbers, true and false, or texts: all of one kind."""
    cells: Any = cells_of(source, name)
    if not source.is_csv:
        if type(cells[0]) is dict:
            raise source.fault(0, f"'{name}' is an object; give its parts their own columns")
        return cells
    lists: list[Any] = [numbers_in(cell) for cell in cells]
    if not all(map(NUMBER.fullmatch, cells)):
        return cells if None in lists else lists
    return [number for (number,) in lists] if all(map(INTEGER.fullmatch, cells)) else list(map(float, cells))


def numbers_in(text: str) -> list | None:
    """The numbers in a list as people write it ("1 2", "1, 2", "[1 2]", "[1, 2]"), or none if it is not a list."""
    inside: Any = LIST.fullmatch(text)  # which matches any text
    parts = inside[1].replace(",", " ").split()
    if all(map(INTEGER.fullmatch, parts)):
        return list(map(int, parts))
    return list(map(float, parts)) if all(map(NUMBER.fullmatch, parts)) else None


def _messages(source: Source, name: str) -> tuple[list[list], dict[str, Any]]:
    """Messages as lists of numbers, and their settings in `corpus.yaml`: their kind and, of letters, their names."""
    values = _values(source, name)
    values = _cut(values) if type(values[0]) is str else [each if type(each) is list else [each] for each in values]
    types = {type(part) for each in values for part in each}
    in_words = [sum(not _is_number(part, types) for part in each) for each in values]
    mostly = sum(in_words) >= sum(map(len, values)) / 2  # the others are slips
    for row, each in enumerate(values):
        if not each:
            raise source.fault(row, f"'{name}' is empty; fill it in, or remove the row")
        if in_words[row] != mostly * len(each):
            what = shown(" ".join(map(str, each)))
            raise source.fault(row, f"'{name}' holds {what}; write all messages in numbers, or all in letters")
        for part in each:
            if type(part) not in (str, int, float) or (type(part) is str and control_character(part)):
                raise source.fault(row, f"'{name}' holds {shown(part)}; write symbols as numbers, letters or words")
    if str not in types:
        return values, {"kind": "vector" if float in types else "symbols"}
    names = sorted({part for each in values for part in each})
    places = {part: place for place, part in enumerate(names)}
    return [[places[part] for part in each] for each in values], {"kind": "symbols", "names": names}


def _is_number(part: Any, types: set[type]) -> bool:
    return bool(NUMBER.fullmatch(part)) if types == {str} else type(part) is not str


def _cut(cells: list[str]) -> list[list[str]]:
    """The symbols of texts: what spaces or commas separate or, if no text has any, its characters."""
    if not any(map(SEPARATOR.search, cells)):
        return list(map(list, cells))
    return [SEPARATOR.sub(" ", cell).split() for cell in cells]


# EGG


@dataclass(frozen=True)
class Games:
    """n games of EGG: the sender's inputs (n, d), its messages, and what the receiver chose among."""

    inputs: np.ndarray
    messages: list[list[int]] | np.ndarray
    ends: bool  # whether 0 ends a message
    offered: np.ndarray | None = None  # (n, candidates, d)
    true: Any = None
    pick: Any = None


def import_egg(file: Path, folder: Path) -> Imported:
    """Make a corpus from an `Interaction`."""
    check_free(folder)
    games = _read_interaction(file)
    offered = games.inputs[:, None] if games.offered is None else games.offered
    distinct, rows = np.unique(offered.reshape(-1, offered.shape[-1]), axis=0, return_inverse=True)
    columns, types = _input_columns(distinct)
    states = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    form: dict[str, Any] = {"kind": "symbols" if isinstance(games.messages, list) else "vector"}
    form |= {"end": END} if games.ends else {}
    recording = Recording(folder, file.stem, types=types, messages=form)
    for state in states:
        recording.number(state)  # in the order of their values, whoever saw them first
    for game, (message, places) in enumerate(zip(games.messages, rows.reshape(offered.shape[:2]), strict=True)):
        context = [states[place] for place in places]
        if games.offered is None:
            recording.say(context[0], message)
        else:
            pick = None if games.pick is None else games.pick[game]
            recording.say(context[games.true[game]], message, context, pick, true=games.true[game])
    recording.write()
    return Imported(len(states), len(games.messages), form["kind"], types, {})


class _Interaction(SimpleNamespace):
    """Stands in for EGG's class of this name."""


def _read_interaction(file: Path) -> Games:
    """Read an `Interaction`."""
    import torch  # here, since it takes seconds and other files do not need it

    if not file.is_file():
        raise NeuraleseError(f"{file} does not exist; {SAVE}.")
    try:
        with torch.serialization.safe_globals([(_Interaction, INTERACTION)]):
            loaded = torch.load(file, map_location="cpu", weights_only=True)
    except Exception as error:  # a damaged or malicious file may raise almost anything
        why = f"is not an Interaction that can be read safely ({reason(error)})"
        raise NeuraleseError(f"{file} {why}; {SAVE}.") from None
    if not isinstance(loaded, _Interaction):
        raise NeuraleseError(f"{file} holds a {type(loaded).__name__}, not an Interaction of EGG; {SAVE}.")
    tensors = {name: each.detach() for name, each in vars(loaded).items() if isinstance(each, torch.Tensor)}
    parts = {name: (each.double() if each.is_floating_point() else each).numpy() for name, each in tensors.items()}
    for name in ("sender_input", "message"):
        if name not in parts:
            raise NeuraleseError(f"{file}: {name} is missing or no tensor; let EGG's LoggingStrategy store it.")
    inputs = parts["sender_input"].astype(np.float64)
    inputs = inputs[:, None] if inputs.ndim == 1 else inputs
    if inputs.ndim != 2 or not inputs.size or not np.isfinite(inputs).all():
        what = f"is of shape {inputs.shape}, not a finite vector for each message"
        raise NeuraleseError(f"{file}: sender_input {what}; save the features that the sender saw.")
    try:
        messages, ends = _sent(file, parts["message"], parts.get("message_length"), len(inputs))
    except (TypeError, ValueError) as error:  # mismatched tensors, or odd types
        raise NeuraleseError(f"{file} holds an Interaction with mismatched parts ({reason(error)}); {SAVE}.") from None
    return Games(inputs, messages, ends, *_offered(parts, inputs))


def _sent(file: Path, message: np.ndarray, lengths: np.ndarray | None, n: int) -> tuple[list | np.ndarray, bool]:
    """Symbols or vectors (n, d), and whether 0 ends them."""
    is_float = message.dtype.kind == "f"
    if is_float and message.ndim > 1 and (message >= 0).all() and (np.abs(message.sum(-1) - 1) < 1e-3).all():
        message, is_float = message.argmax(-1), False  # a relaxed symbol becomes the nearest one
    is_right = message.ndim == 2 if is_float else message.ndim in (1, 2) and (message >= 0).all()
    if len(message) != n or not is_right:
        what = f"message is of shape {message.shape} for {n} inputs"
        raise NeuraleseError(f"{file}: {what}; save symbols from 0, distributions over them, or a vector for each.")
    if is_float:
        return message, False
    if message.ndim == 1 or message.shape[1] == 1:
        return message.reshape(-1, 1).tolist(), False
    ends = np.full(n, message.shape[1]) if lengths is None else np.maximum(1, lengths.reshape(-1).astype(int))
    return [each[:end] for each, end in zip(message.tolist(), ends.tolist(), strict=True)], True


def _offered(parts: Mapping[str, np.ndarray], inputs: np.ndarray) -> tuple[Any, Any, Any]:
    """What the receiver chose among, which was the true one and which it chose; nothing if it did not."""
    nothing, n = (None, None, None), len(inputs)
    offered, labels, output = (parts.get(name) for name in ("receiver_input", "labels", "receiver_output"))
    if offered is None or labels is None or offered.ndim != 3 or offered.shape[1] < 2:
        return nothing
    if offered.shape[::2] != inputs.shape or labels.size != n:
        return nothing
    places, true = np.arange(offered.shape[1]), labels.reshape(-1).astype(np.int64)
    if not np.isin(true, places).all() or not np.array_equal(offered[np.arange(n), true], inputs):
        return nothing
    if output is not None and output.shape == offered.shape[:2]:
        return offered, true, output.argmax(1)
    is_pick = output is not None and output.size == n and output.dtype.kind == "i" and np.isin(output, places).all()
    return offered, true, output.reshape(-1) if output is not None and is_pick else None


def _input_columns(states: np.ndarray) -> tuple[dict[str, list], dict[str, dict[str, Any]]]:
    """The sender's inputs (n, d) as columns, and their types."""
    n, d = states.shape
    blocks = states[0].sum()
    if np.isin(states, (0, 1)).all() and blocks and d % blocks == 0 and d > blocks:
        folded = states.reshape(n, int(blocks), -1)
        if (folded.sum(2) == 1).all():
            columns = _named("attribute", folded.argmax(2))
            return columns, {name: {"type": "category"} for name in columns}
    whole = (states == np.round(states)).all() and np.abs(states).max() < 2**53
    columns = _named("input", states.astype(np.int64) if whole else states) if d <= WIDE else {"input": states.tolist()}
    return columns, guess_columns(columns)[0]


def _named(name: str, values: np.ndarray) -> dict[str, list]:
    names = [name] if values.shape[1] == 1 else [f"{name}_{place + 1}" for place in range(values.shape[1])]
    return {each: column.tolist() for each, column in zip(names, values.T, strict=True)}


# arrays and data frames


class InputError(NeuraleseError, ValueError):
    """The input cannot be learned from, or not translated; also a `ValueError`, as in scikit-learn."""


def record(
    folder: Path,
    said: tuple[Any, Any, Iterable[Any] | None],
    types: Mapping[str, Any] | None,
    settings: Mapping[str, Any] | None,
) -> int:
    """Write states, messages and utterances (or none) as a corpus; return the number of the states' columns."""
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
    try:
        with Recording(folder, "arrays", "unknown", types, entries.pop("messages", None), **entries) as recording:
            for state, message in zip(states, messages, strict=True):
                recording.say(state, message)
            for state, text in zip(states, texts, strict=True):
                for each in [text] if isinstance(text, str) else ([] if _is_missing(text) else text):
                    if each.strip():
                        recording.describe(state, each)
    except NeuraleseError as error:
        raise InputError(str(error)) from None
    return width


def as_states(states: Any) -> tuple[list[dict[str, Any]], int]:
    """Each row as its columns by name, and the number of columns; arrays have x0, x1, ..., or a vector x."""
    from scipy.sparse import issparse

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
    columns = {str(name): _cells(str(name), states[name]) for name in states.columns}
    if not columns:
        raise InputError("states have no columns; give one for each attribute of a state.")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], len(columns)


def _cells(name: str, column: pd.Series) -> list:
    values = column.tolist()
    for row, value in enumerate(values):
        if _is_missing(value) or (isinstance(value, float) and not np.isfinite(value)):
            what = "NaN" if _is_missing(value) else "inf"
            raise InputError(f"row {row} of '{name}' is {what}; give a finite value, or leave the row out.")
    return list(map(str, values)) if isinstance(column.dtype, pd.CategoricalDtype) else values


def as_message_list(messages: Any) -> list[list]:
    """Each message as a list of symbols or of numbers."""
    messages = messages.to_numpy() if hasattr(messages, "to_numpy") else messages
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


def _is_missing(value: Any) -> bool:
    return pd.api.types.is_scalar(value) and bool(pd.isna(value))
