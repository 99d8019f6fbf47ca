"""The one conversion: columns of any file become arrays of pyarrow of the declared kind, or a sentence on a row.

convert(source, "message", SYMBOLS)      # lists of whole numbers
matrix(source, "feature")                # lists of equal length, as an array (n, d)
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from types import NoneType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neuralese.errors import NeuraleseError, shown
from neuralese.tasks.corpus.files import CONTROL, CONTROL_OR_BREAK, Faults, Source, control_character

IS_INTEGER, IS_NUMBER = r"[+-]?\d+", r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
NUMBERS_ONLY = re.compile(r"[-+.0-9eE \t]*")
HEX, AS_COLOR = re.compile("#[0-9a-fA-F]{6}"), 'write "#rrggbb" or three numbers from 0 to 255'
EMPTY = "fill it in, or remove the row"
NAMED = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}


@dataclass(frozen=True)
class Kind:
    """What a column holds: the type it is converted to, and what its cells (or the entries of its lists) may be."""

    type: pa.DataType
    accepts: frozenset[type]
    otherwise: str  # the rest of the sentence on a cell of another type
    pattern: str = ""  # of numbers in CSV
    is_list: bool = False
    breaks: bool = False  # whether text may have several lines
    empty: str = EMPTY  # what to do about an empty cell


TEXT_TYPE = pa.large_string()
AN_ID = "; an id is a whole number or text, so write that"
NO_CATEGORY = "text or a whole number, or set its type in corpus.yaml to number or vector"
SILENT = "if the agent was silent there, give silence a symbol of its own or leave the row out"
A_SYMBOL = ", but a symbol is a whole number; write those"
ID = Kind(TEXT_TYPE, frozenset({str, int}), AN_ID)
IDS = Kind(TEXT_TYPE, frozenset({str, int}), AN_ID, is_list=True)
TEXT = Kind(TEXT_TYPE, frozenset({str}), ", not text; put it in quotes", breaks=True)
LABEL = Kind(TEXT_TYPE, frozenset({str, int, bool}), f", which names no category; write {NO_CATEGORY}")
NUMBER = Kind(pa.float64(), frozenset({int, float}), "; write a number", IS_NUMBER)
POSITION = Kind(pa.int64(), frozenset({int}), "; write a whole number", IS_INTEGER)
VECTOR = Kind(pa.float64(), frozenset({int, float}), "; write numbers", IS_NUMBER, is_list=True, empty="write numbers")
SYMBOLS = Kind(pa.int64(), frozenset({int}), A_SYMBOL, IS_INTEGER, is_list=True, empty=SILENT)


def typed(source: Source, kinds: Mapping[str, Kind], faults: Faults) -> dict[str, pa.Array]:
    """The named columns, converted; those at fault are left out, and their faults collected."""
    made = {}
    for name, kind in kinds.items():
        with faults.gathered():
            made[name] = convert(source, name, kind)
    return made


def convert(source: Source, name: str, kind: Kind, may_be_empty: bool = False) -> pa.Array:
    """One column as an array of its kind."""
    cells = cells_of(source, name, kind.empty, may_be_empty)
    if not kind.is_list:
        return _cast(source, name, kind, cells, np.arange(source.rows + 1))
    entries, starts = _entries(source, name, kind, cells)
    source.refuse(np.diff(starts) == 0, lambda _: f"'{name}' is empty; {kind.empty}")
    return pa.LargeListArray.from_arrays(pa.array(starts), _cast(source, name, kind, entries, starts))


def cells_of(source: Source, name: str, empty: str = EMPTY, may_be_empty: bool = False) -> list:
    """The cells of a column as they are written, none of which is empty, and all of one type."""
    source.needs(name)
    cells = source.columns[name]
    if source.is_csv:
        cells = [cell or None for cell in cells]
    if not may_be_empty and None in cells:
        raise source.fault(cells.index(None), f"'{name}' is empty; {empty}")
    if len({NAMED.get(each) for each in _types(cells)}) > 1:
        found = [None if cell is None else NAMED[type(cell)] for cell in cells]
        first = next(row for row, each in enumerate(found) if each)
        row = next(row for row, each in enumerate(found) if each not in (None, found[first]))
        what = f"'{name}' is {found[row]} ({shown(cells[row])}) but {found[first]} in {source.place(first)}"
        raise source.fault(row, f"{what}; use one type")
    return cells


def _types(cells: list) -> set[type]:
    return set(map(type, cells)) - {NoneType}


def _entries(source: Source, name: str, kind: Kind, cells: list) -> tuple[list, np.ndarray]:
    """The entries of all lists, one after another, and where each list starts, (rows + 1,)."""
    if source.is_csv:
        cells = [cell.split() for cell in cells]
    elif kind is SYMBOLS and _types(cells) == {int}:  # single symbols
        return cells, np.arange(source.rows + 1)
    elif _types(cells) - {list}:
        raise source.fault(0, f"'{name}' is {shown(cells[0])}; write a list")
    starts = np.concatenate([[0], np.cumsum(list(map(len, cells)), dtype=np.int64)])
    return list(chain.from_iterable(cells)), starts


def row_of(starts: np.ndarray, entry: int) -> int:
    """The row of an entry, where lists begin at `starts`."""
    return int(np.searchsorted(starts, entry, side="right")) - 1


def _cast(source: Source, name: str, kind: Kind, cells: Any, starts: np.ndarray) -> pa.Array:
    """Check cells, or the entries of lists that begin at `starts`, and convert them."""
    says = "holds" if kind.is_list else "is"

    def fault(entry: int, what: str) -> NeuraleseError:
        return source.fault(row_of(starts, entry), f"'{name}' {what}")

    if kind.is_list and None in cells:
        raise fault(cells.index(None), f"holds an empty entry; {EMPTY}")
    if kind.pattern and source.is_csv:
        cells = pa.array(cells, TEXT_TYPE)
        matches = pc.match_substring_regex(cells, f"^{kind.pattern}$")
        if (entry := pc.index(matches, False).as_py()) >= 0:
            cell = source.columns[name][row_of(starts, entry)]
            listed_as = "write its entries as numbers separated by spaces, as in 3 1 4"
            hint = listed_as if kind.is_list else kind.otherwise.removeprefix("; ")
            raise fault(entry, f"is {shown(cell)}; {hint}")
        cells = pc.utf8_ltrim(cells, "+")
    elif wrong := _types(cells) - kind.accepts:
        entry, cell = next(each for each in enumerate(cells) if type(each[1]) in wrong)
        raise fault(entry, f"{says} {shown(cell)}{kind.otherwise}")
    if kind.type == TEXT_TYPE:
        texts = [str(cell).lower() if type(cell) is bool else str(cell) for cell in cells]
        search = (CONTROL if kind.breaks else CONTROL_OR_BREAK).search
        if search("".join(texts)):
            at = next(at for at, text in enumerate(texts) if search(text))
            raise fault(at, f"has the control character {control_character(texts[at], kind.breaks)}; remove it")
        if kind in (ID, IDS) and "" in texts:
            raise fault(texts.index(""), "is empty; fill it in")
        return pa.array(texts, TEXT_TYPE)
    try:
        if isinstance(cells, list) and kind.type == pa.float64():
            cells = np.array(cells, dtype=np.float64)  # takes whole numbers of any size
        array = pc.cast(cells, kind.type) if isinstance(cells, pa.Array) else pa.array(cells, kind.type)
    except (pa.ArrowException, OverflowError):  # beyond 64 bits
        entry, text = max(enumerate(map(str, cells)), key=lambda each: (len(each[1]), each[1]))
        raise fault(entry, f"{says} {text:.40}, which is too large; use smaller numbers") from None
    if kind.type == pa.float64() and (entry := pc.index(pc.is_finite(array), False).as_py()) >= 0:
        numbers = "write finite numbers" if kind.is_list else "write a finite number"
        raise fault(entry, f"{says} {array[entry].as_py()}; {numbers}, or remove the row")
    return array


def matrix(source: Source, name: str) -> np.ndarray:
    """A column of lists of equal length as a matrix in single precision."""
    lists = convert(source, name, VECTOR)
    starts, entries = lists.offsets.to_numpy(), lists.values.to_numpy()
    lengths = np.diff(starts)
    unequal = f"numbers but {lengths[0]} in the first row; make all vectors equally long"
    source.refuse(lengths != lengths[0], lambda row: f"'{name}' has {lengths[row]} {unequal}")
    with np.errstate(over="ignore"):
        values = entries.astype(np.float32).reshape(source.rows, -1)
    large = np.abs(entries).reshape(values.shape).max(1)
    source.refuse(
        ~np.isfinite(values).all(1),
        lambda row: f"'{name}' holds {large[row]:g}, too large for single precision; scale it",
    )
    return values


def colors(source: Source, name: str) -> np.ndarray:
    """A column of colours as sRGB in 0..255, (n, 3)."""
    cells = cells_of(source, name)
    if _types(cells) == {str} and not (source.is_csv and NUMBERS_ONLY.fullmatch(" ".join(cells))):
        wrong = [not HEX.fullmatch(text) for text in cells]
        values = hex_to_rgb(["#000000" if is_wrong else text for text, is_wrong in zip(cells, wrong, strict=True)])
    else:
        lists = convert(source, name, VECTOR).to_pylist()
        wrong = [len(each) != 3 or not all(0 <= part <= 255 for part in each) for each in lists]
        values = np.array([[0, 0, 0] if is_wrong else each for each, is_wrong in zip(lists, wrong, strict=True)], float)
    source.refuse(wrong, lambda row: f"'{name}' is {shown(cells[row])}, not a colour; {AS_COLOR}")
    return values


def hex_to_rgb(texts: list[str]) -> np.ndarray:
    """The three numbers of each "#rrggbb", (n, 3)."""
    return np.array([list(bytes.fromhex(text[1:])) for text in texts], dtype=np.float64)


def keys(source: Source, name: str) -> np.ndarray:
    """The cells of a column of any type as texts of which only equality matters, (n,)."""
    cells = source.columns[name]
    texts = [each if type(each) is str else repr(each) for each in cells]
    source.refuse([each in (None, "") for each in cells], lambda _: f"'{name}' is empty; {EMPTY}")
    return np.array(texts, dtype=object)
