"""The one conversion: columns of any file become arrays of pyarrow with the declared kind, or a sentence on a row.

table = typed(source, {"state_id": ID, "message": SYMBOLS}, faults)      # a pyarrow table with these two columns
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from types import NoneType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from neuralese.errors import NeuraleseError, shown
from neuralese.tasks.corpus.files import CONTROL, CONTROL_OR_BREAK, Faults, Source, control_character

IS_INTEGER, IS_NUMBER = r"[+-]?\d+", r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
NUMBERS_ONLY = re.compile(r"[-+.0-9eE \t]*")
NO_NUMBER = {"nan", "inf", "-inf", "+inf", "infinity", "-infinity", "na", "none", "null"}
HEX, AS_COLOR = re.compile("#[0-9a-fA-F]{6}"), 'write "#rrggbb" or three numbers from 0 to 255'
EMPTY = "fill it in, or remove the row"
NAMED = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
ARROW = {
    NoneType: (types.is_null,),
    int: (types.is_integer,),
    float: (types.is_floating,),
    bool: (types.is_boolean,),
    str: (types.is_string, types.is_large_string, types.is_string_view),
    list: (types.is_list, types.is_large_list, types.is_fixed_size_list),
}


@dataclass(frozen=True)
class Kind:
    """What a column holds: the type it is converted to, and what its cells (or the entries of its lists) may be."""

    type: pa.DataType
    accepts: frozenset[type]
    otherwise: str  # the rest of the sentence on a cell of another type
    pattern: str = ""  # of numbers in CSV
    is_list: bool = False
    breaks: bool = False  # whether text may have several lines
    empty: str = EMPTY  # what to do about an empty list


TEXT_TYPE = pa.large_string()
AN_ID = "; an id is a whole number or text, so write that"
NO_CATEGORY = "text or a whole number, or set its type in corpus.yaml to number or vector"
SILENT = "if the agent was silent there, give silence a symbol of its own or leave the row out"
ID = Kind(TEXT_TYPE, frozenset({str, int}), AN_ID)
TEXT = Kind(TEXT_TYPE, frozenset({str}), ", not text; put it in quotes", breaks=True)
LABEL = Kind(TEXT_TYPE, frozenset({str, int, bool}), f", which names no category; write {NO_CATEGORY}")
KEY = Kind(TEXT_TYPE, frozenset({str}), "", breaks=True)  # any type, as text: only equality matters
NUMBER = Kind(pa.float64(), frozenset({int, float}), "; write a number", IS_NUMBER)
POSITION = Kind(pa.int64(), frozenset({int}), "; write a whole number", IS_INTEGER)
IDS = Kind(TEXT_TYPE, frozenset({str, int}), AN_ID, is_list=True)
VECTOR = Kind(pa.float64(), frozenset({int, float}), "; write numbers", IS_NUMBER, is_list=True, empty="write numbers")
A_SYMBOL = ", but a symbol is a whole number; write those"
SYMBOLS = Kind(pa.int64(), frozenset({int}), A_SYMBOL, IS_INTEGER, is_list=True, empty=SILENT)
COLOR = Kind(pa.float64(), frozenset({int, float, str}), "", is_list=True)


def typed(source: Source, kinds: Mapping[str, Kind], faults: Faults, missing: Sequence[str] = ()) -> pa.Table:
    """The named columns, converted; those at fault are left out, and their faults collected.

    Columns in `missing` need not exist, and may have empty cells.
    """
    made = {}
    for name, kind in kinds.items():
        with faults.gathered():
            if name not in missing:
                source.needs(name)
            if name in source.columns:
                made[name] = convert(source, name, kind, name in missing)
    return pa.Table.from_arrays(list(made.values()), names=list(made))


def convert(source: Source, name: str, kind: Kind, may_be_empty: bool = False) -> pa.Array:
    """One column as an array of its kind."""
    cells = source.columns[name]
    if source.is_csv and not kind.is_list:
        cells = [cell or None for cell in cells]
    if kind is KEY:
        cells = [each if each is None or type(each) is str else repr(each) for each in _listed(cells)]
    check_cells(source, name, cells, may_be_empty)
    if kind is COLOR:
        return _colors(source, name, cells)
    if not kind.is_list:
        return _cast(source, name, kind, cells, np.arange(source.rows + 1))
    entries, starts = _entries(source, name, kind, cells)
    if len(empty := np.flatnonzero(np.diff(starts) == 0)):
        raise source.fault(int(empty[0]), f"'{name}' is empty; {kind.empty}")
    return pa.LargeListArray.from_arrays(array_of(starts), _cast(source, name, kind, entries, starts))


def _listed(cells: list | pa.Array) -> list:
    return cells if isinstance(cells, list) else cells.to_pylist()


def _has_gaps(cells: list | pa.Array) -> bool:
    return None in cells if isinstance(cells, list) else cells.null_count > 0


def _types(cells: list | pa.Array) -> set[type]:
    """Python's types of some cells."""
    if isinstance(cells, list):
        return set(map(type, cells)) - {NoneType}
    return {next((of for of, tests in ARROW.items() if any(test(cells.type) for test in tests)), object)} - {NoneType}


def check_cells(source: Source, name: str, cells: list | pa.Array, may_be_empty: bool = False) -> None:
    """Refuse empty cells, and cells of different types."""
    if not may_be_empty and _has_gaps(cells):
        raise source.fault(_listed(cells).index(None), f"'{name}' is empty; {EMPTY}")
    if len({NAMED.get(each) for each in _types(cells)}) > 1:
        found = [None if cell is None else NAMED[type(cell)] for cell in cells]
        first = next(row for row, each in enumerate(found) if each)
        row = next(row for row, each in enumerate(found) if each not in (None, found[first]))
        what = f"'{name}' is {found[row]} ({shown(cells[row])}) but {found[first]} in {source.place(first)}"
        raise source.fault(row, f"{what}; use one type")


def _entries(source: Source, name: str, kind: Kind, cells: list | pa.Array) -> tuple[list | pa.Array, np.ndarray]:
    """The entries of all lists, one after another, and where each list starts, (rows + 1,)."""
    if source.is_csv:
        lists: list[list] = [cell.split() for cell in cells]
        return list(chain.from_iterable(lists)), _starts(map(len, lists))
    if kind is SYMBOLS and _types(cells) == {int}:  # single symbols
        return cells, np.arange(source.rows + 1)
    if _types(cells) - {list}:
        raise source.fault(0, f"'{name}' is {shown(source.cell(name, 0))}; write a list")
    if isinstance(cells, list):
        return list(chain.from_iterable(cells)), _starts(map(len, cells))
    entries = cells.flatten()
    entries = entries.dictionary_decode() if types.is_dictionary(entries.type) else entries
    return entries, _starts(pc.list_value_length(cells).to_pylist())


def _starts(lengths: Any) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(list(lengths), dtype=np.int64)])


def row_of(starts: np.ndarray, entry: int) -> int:
    """The row of an entry, where lists begin at `starts`."""
    return int(np.searchsorted(starts, entry, side="right")) - 1


def _cast(source: Source, name: str, kind: Kind, cells: list | pa.Array, starts: np.ndarray) -> pa.Array:
    """Check cells, or the entries of lists that begin at `starts`, and convert them."""
    says = "holds" if kind.is_list else "is"

    def fault(entry: int, what: str) -> NeuraleseError:
        return source.fault(row_of(starts, entry), f"'{name}' {what}")

    if kind.is_list and _has_gaps(cells):
        raise fault(_listed(cells).index(None), f"holds an empty entry; {EMPTY}")
    if kind.pattern and source.is_csv:
        texts = array_of(cells)
        if (entry := first(pc.invert(pc.match_substring_regex(texts, f"^{kind.pattern}$")))) is not None:
            cell = source.cell(name, row_of(starts, entry))
            hint = kind.otherwise.removeprefix("; ")
            if kind.is_list:
                is_missing = NO_NUMBER & set(cell.lower().split())
                hint = "write finite numbers" if is_missing else "write its entries separated by spaces, as in 3 1 4"
            raise fault(entry, f"is {shown(cell)}; {hint}")
        cells = pc.utf8_ltrim(texts, "+")
    elif wrong := _types(cells) - kind.accepts:
        is_array = isinstance(cells, pa.Array)  # then all cells are of one type
        entry, cell = next(each for each in enumerate(_listed(cells)) if is_array or type(each[1]) in wrong)
        raise fault(entry, f"{says} {shown(cell)}{kind.otherwise}")
    if kind.type == TEXT_TYPE:
        return _texts(kind, _listed(cells), fault)
    try:
        array = pc.cast(array_of(cells) if isinstance(cells, list) else cells, kind.type)
    except pa.ArrowException:  # a whole number beyond 64 bits
        entry, cell = next((at, cell) for at, cell in enumerate(_listed(cells)) if abs(int(cell or 0)) >= 2**63)
        raise fault(entry, f"{says} {cell}, which is too large; use smaller numbers") from None
    if kind.type == pa.float64() and (entry := first(pc.invert(pc.is_finite(array)))) is not None:
        numbers = "write finite numbers" if kind.is_list else "write a finite number"
        raise fault(entry, f"{says} {array[entry].as_py()}; {numbers}, or remove the row")
    return array


def _texts(kind: Kind, cells: list, fault: Callable[[int, str], NeuraleseError]) -> pa.Array:
    """Cells as texts without control characters."""
    texts = [str(cell).lower() if type(cell) is bool else str(cell) for cell in cells]
    search = (CONTROL if kind.breaks else CONTROL_OR_BREAK).search
    if kind is not KEY and search("".join(texts)):
        at = next(at for at, text in enumerate(texts) if search(text))
        raise fault(at, f"has the control character {control_character(texts[at], kind.breaks)}; remove it")
    if kind in (ID, IDS) and "" in texts:
        raise fault(texts.index(""), "is empty; fill it in")
    return array_of(texts)


def _colors(source: Source, name: str, cells: list | pa.Array) -> pa.Array:
    """Colours as lists of three numbers."""
    if _types(cells) == {str} and not (source.is_csv and NUMBERS_ONLY.fullmatch(" ".join(cells))):
        texts = _listed(cells)
        wrong = [row for row, text in enumerate(texts) if not HEX.fullmatch(text)]
        values = [float(each) for text in texts for each in bytes.fromhex(text[1:])] if not wrong else []
        starts, entries = np.arange(len(texts) + 1) * 3, array_of(np.array(values))
    else:
        array = convert(source, name, VECTOR)
        starts, entries = numpy_of(array.offsets), array.values
        outside = np.flatnonzero(np.abs(numpy_of(entries) - 127.5) > 127.5)
        lengths = np.flatnonzero(np.diff(starts) != 3)
        wrong = lengths.tolist()[:1] or [row_of(starts, int(entry)) for entry in outside[:1]]
    if wrong:
        raise source.fault(wrong[0], f"'{name}' is {shown(source.cell(name, wrong[0]))}, not a colour; {AS_COLOR}")
    return pa.LargeListArray.from_arrays(array_of(starts), entries)


def matrix(source: Source, name: str, lists: pa.Array) -> np.ndarray:
    """Lists of equal length as a matrix in single precision."""
    starts, entries = numpy_of(lists.offsets), numpy_of(lists.values)
    lengths = np.diff(starts)
    if len(other := np.flatnonzero(lengths != lengths[0])):
        row = int(other[0])
        what = f"'{name}' has {lengths[row]} numbers but {lengths[0]} in the first row"
        raise source.fault(row, f"{what}; make all vectors equally long")
    with np.errstate(over="ignore"):
        values = entries.astype(np.float32)
    if len(large := np.flatnonzero(~np.isfinite(values))):
        what = f"'{name}' holds {entries[large[0]]:g}, too large for single precision; scale it"
        raise source.fault(row_of(starts, int(large[0])), what)
    return values.reshape(-1, lengths[0])


def groups_of(source: Source, name: str) -> np.ndarray:
    """Number the different values of a column, whatever its type, (n,)."""
    keys = np.array(convert(source, name, KEY).to_pylist(), dtype=object)
    return np.unique(keys, return_inverse=True)[1]


# pyarrow imports pandas, which takes about as long as reading most corpora, in `pa.array`, in `to_numpy`, and whenever
# a function is given a Python value


def first(mask: pa.Array) -> int | None:
    """The position of the first true entry."""
    found = pc.indices_nonzero(mask)
    return found[0].as_py() if len(found) else None


def numpy_of(array: pa.Array) -> np.ndarray:
    """Numbers without gaps."""
    return np.from_dlpack(array) if len(array) else np.empty(0, np.int64)


def array_of(values: Sequence | np.ndarray) -> pa.Array:
    """Texts, or numbers (None: missing), as an array."""
    if isinstance(values, np.ndarray):
        content = pa.py_buffer(np.ascontiguousarray(values))
        return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, content])
    known = [each is not None for each in values]
    valid = None if all(known) else pa.py_buffer(np.packbits(known, bitorder="little"))
    found = set(map(type, values)) - {NoneType}
    if found <= {str}:
        coded = [(each or "").encode() for each in values]
        buffers = [valid, pa.py_buffer(_starts(map(len, coded))), pa.py_buffer(b"".join(coded))]
        return pa.Array.from_buffers(TEXT_TYPE, len(coded), buffers)
    try:
        numbers = np.array([each or 0 for each in values], np.float64 if float in found else np.int64)
    except OverflowError:  # beyond 64 bits: too large for a whole number, but perhaps not for a number
        numbers = np.array([float(each or 0) if abs(each or 0) < 10**300 else np.inf for each in values])
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [valid, pa.py_buffer(numbers)])


def lists_of(rows: Any, of: type) -> pa.Array:
    """A column of lists, whose entries are of a type of NumPy."""
    entries: list = list(chain.from_iterable(rows))
    return pa.ListArray.from_arrays(
        array_of(_starts(map(len, rows)).astype(np.int32)), array_of(np.array(entries, dtype=of))
    )


def vectors_of(rows: np.ndarray) -> pa.Array:
    """A column of vectors in single precision, from (n, d)."""
    return pa.FixedSizeListArray.from_arrays(array_of(rows.astype(np.float32).reshape(-1)), rows.shape[1])


def table_of(**columns: Any) -> pa.Table:
    """A table of columns of pyarrow, numbers (n,), vectors (n, d) and texts."""
    made = {}
    for name, values in columns.items():
        if isinstance(values, pa.Array):
            made[name] = values
        elif isinstance(values, np.ndarray) and values.dtype.kind in "fi":
            made[name] = array_of(values) if values.ndim == 1 else lists_of(values, np.float64)
        else:
            made[name] = pc.cast(array_of([str(value) for value in values]), pa.string())
    return pa.table(made)
