"""Columns of a table as ids, strings and numbers, and as lists of these; a cell that does not fit is named by row."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table
from neuralese.tasks.corpus.text_file import CONTROL, CONTROL_OR_BREAK, control_character

INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
CHARACTERS = re.compile(r"[-+.0-9eE \t]*")
NO_NUMBER = {"nan", "inf", "-inf", "+inf", "infinity", "-infinity", "na", "none", "null"}
KINDS = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
AS_LIST = "write a list"
AS_LIST_IN_CSV = "write its entries separated by spaces, as in 3 1 4"


def scalars(table: Table, name: str, missing: bool = False) -> list:
    """The cells of a column with one value per row: strings in CSV, otherwise as in JSON or Parquet.

    All values are of one type. None stands for a missing value, if allowed.
    """
    cells = table.columns[name]
    if isinstance(cells, pa.Array):
        cells = cells.to_pylist()
    elif table.is_csv:
        cells = [cell or None for cell in cells]
    if not missing and None in cells:
        raise table.fault(cells.index(None), f"'{name}' is empty; fill it in, or remove the row")
    found = {_kind(each) for each in set(map(type, cells))} - {"nothing"}
    if len(found) > 1:
        first = next(row for row, cell in enumerate(cells) if cell is not None)
        row = next(
            row for row, cell in enumerate(cells) if _kind(type(cell)) not in ("nothing", _kind(type(cells[first])))
        )
        other = f"{_kind(type(cells[first]))} in {_short(table, first)}"
        raise table.fault(row, f"'{name}' is {_kind(type(cells[row]))} ({shown(cells[row])}) but {other}; use one type")
    return cells


def _kind(of: type) -> str:
    return "nothing" if of is type(None) else KINDS.get(of, f"of type {of.__name__}")


def _short(table: Table, row: int) -> str:
    return table.where(row).removeprefix(f"{table.path}, ")


def identifiers(table: Table, name: str) -> list[str]:
    """Ids: whole numbers or strings; a number and its text are the same id."""
    return _named(table, name, scalars(table, name), range(table.rows))


def _named(table: Table, name: str, cells: Sequence, rows: Iterable[int]) -> list[str]:
    """Ids as strings; `rows` locates each."""
    if bad := set(map(type, cells)) - {str, int}:
        position, row = next(
            (at, row) for at, (cell, row) in enumerate(zip(cells, rows, strict=True)) if type(cell) in bad
        )
        raise table.fault(row, f"'{name}' is {shown(cells[position])}; an id is a whole number or text, so write that")
    texts = list(map(str, cells))
    _check_text(table, name, texts, rows, breaks_allowed=False)
    if "" in texts:
        raise table.fault(list(rows)[texts.index("")], f"'{name}' is empty; fill it in")
    return texts


def _check_text(table: Table, name: str, texts: Sequence[str], rows: Iterable[int], breaks_allowed: bool) -> None:
    search = (CONTROL if breaks_allowed else CONTROL_OR_BREAK).search
    if search("".join(texts)):
        position = next(at for at, text in enumerate(texts) if search(text))
        found = control_character(texts[position], breaks_allowed)
        raise table.fault(list(rows)[position], f"'{name}' has the control character {found}; remove it")


def unique(table: Table, name: str) -> list[str]:
    """Ids, each of which occurs once."""
    ids = identifiers(table, name)
    if len(set(ids)) < len(ids):
        first: dict[str, int] = {}
        row = next(row for row, each in enumerate(ids) if first.setdefault(each, row) != row)
        raise table.fault(
            row,
            f"'{name}' is {shown(ids[row])}, as in {_short(table, first[ids[row]])}; give every row its own id",
        )
    return ids


def texts(table: Table, name: str) -> list[str]:
    """Strings, which may contain line ends."""
    cells = scalars(table, name)
    if type(cells[0]) is not str:
        raise table.fault(0, f"'{name}' is {shown(cells[0])}, not text; put it in quotes")
    _check_text(table, name, cells, range(table.rows), breaks_allowed=True)
    return cells


def labels(table: Table, name: str) -> list[str]:
    """Values of a category: strings, whole numbers, or booleans."""
    cells = scalars(table, name)
    if bad := set(map(type, cells)) - {str, int, bool}:
        row = next(row for row, cell in enumerate(cells) if type(cell) in bad)
        what = f"'{name}' is {shown(cells[row])}, which names no category"
        raise table.fault(
            row, f"{what}; write text or a whole number, or set its type in corpus.yaml to number or vector"
        )
    named = [str(cell).lower() if type(cell) is bool else str(cell) for cell in cells]
    _check_text(table, name, named, range(table.rows), breaks_allowed=False)
    return named


def keys(table: Table, name: str) -> list[str]:
    """Values of any type, as strings that are equal where the values are."""
    cells = table.columns[name]
    cells = cells.to_pylist() if isinstance(cells, pa.Array) else cells
    if None in cells or (table.is_csv and "" in cells):
        row = next(row for row, cell in enumerate(cells) if cell is None or cell == "")
        raise table.fault(row, f"'{name}' is empty; fill it in, or remove the row")
    return [cell if type(cell) is str else repr(cell) for cell in cells]


def integers(table: Table, name: str, missing: int | None = None) -> np.ndarray:
    """Whole numbers (n,); `missing` stands for empty cells, if allowed."""
    cells = scalars(table, name, missing is not None)
    if table.is_csv:
        cells = [int(cell) if cell and INTEGER.fullmatch(cell) else cell for cell in cells]
    for row, cell in enumerate(cells):
        if cell is not None and (type(cell) is not int or abs(cell) >= 2**62):
            raise table.fault(row, f"'{name}' is {shown(cell)}; write a whole number")
    return np.array([missing if cell is None else cell for cell in cells], dtype=np.int64)


def numbers(table: Table, name: str) -> np.ndarray:
    """Finite numbers (n,)."""
    cells = scalars(table, name)
    if table.is_csv:
        cells = [float(cell) if NUMBER.fullmatch(cell) else cell for cell in cells]
    wrong = [row for row, cell in enumerate(cells) if type(cell) not in (int, float)]
    if wrong:
        raise table.fault(wrong[0], f"'{name}' is {shown(cells[wrong[0]])}; write a number")
    values = _as_floats(cells)
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise table.fault(row, f"'{name}' is {shown(cells[row])}; write a finite number, or remove the row")
    return values


def _as_floats(cells: Sequence[int | float]) -> np.ndarray:
    try:
        return np.array(cells, dtype=np.float64)
    except OverflowError:
        return np.array([float(cell) if abs(cell) < 10**300 else np.inf for cell in cells])


class Lists:
    """A column whose rows are lists: all entries one after another, and the number in each row."""

    def __init__(self, table: Table, name: str, entries: Any, lengths: np.ndarray) -> None:
        self.table, self.name, self.entries, self.lengths = table, name, entries, lengths
        self.starts = np.concatenate([[0], np.cumsum(lengths)])

    def row(self, entry: int) -> int:
        """The row of an entry."""
        return int(np.searchsorted(self.starts, entry, side="right")) - 1

    def fault(self, entry: int, what: str) -> NeuraleseError:
        """One sentence about an entry."""
        return self.table.fault(self.row(entry), what)

    def nonempty(self, hint: str) -> "Lists":
        """The same, if no row is empty."""
        if len(self.lengths) and not self.lengths.all():
            raise self.table.fault(int(np.argmin(self.lengths)), f"'{self.name}' is empty; {hint}")
        return self


def integer_lists(table: Table, name: str, what: str) -> Lists:
    """Lists of whole numbers, or single ones, which are lists of one; `what` names an entry in faults."""
    lists = _lists(table, name, INTEGER, int, single=True)
    entries = lists.entries
    if isinstance(entries, pa.Array):
        if len(entries) and not pa.types.is_integer(entries.type):
            raise lists.fault(
                0, f"'{name}' holds values of type {entries.type}; {what} is a whole number, so write those"
            )
        lists.entries = _array(pc.cast(entries, pa.int64(), safe=False))
        return lists
    for entry, value in enumerate(entries) if set(map(type, entries)) - {int} else ():
        if type(value) is not int:
            raise lists.fault(entry, f"'{name}' holds {shown(value)}, but {what} is a whole number; write those")
    if entries and (max(entries) >= 2**62 or min(entries) <= -(2**62)):
        entry = next(entry for entry, value in enumerate(entries) if abs(value) >= 2**62)
        raise lists.fault(entry, f"'{name}' holds {shown(entries[entry])}, which is too large; use smaller numbers")
    lists.entries = np.array(entries, dtype=np.int64)
    return lists


def number_lists(table: Table, name: str) -> Lists:
    """Lists of finite numbers."""
    lists = _lists(table, name, NUMBER, float, single=False)
    entries = lists.entries
    if isinstance(entries, pa.Array):
        if len(entries) and not (pa.types.is_floating(entries.type) or pa.types.is_integer(entries.type)):
            raise lists.fault(0, f"'{name}' holds values of type {entries.type}; write numbers")
        values = _array(pc.cast(entries, pa.float64(), safe=False))
    else:
        for entry, value in enumerate(entries) if set(map(type, entries)) - {int, float} else ():
            if type(value) not in (int, float):
                raise lists.fault(entry, f"'{name}' holds {shown(value)}; write numbers")
        values = _as_floats(entries)
    if not np.isfinite(values).all():
        entry = int(np.argmin(np.isfinite(values)))
        raise lists.fault(entry, f"'{name}' holds {values[entry]}; write finite numbers, or remove the row")
    lists.entries = values
    return lists


def identifier_lists(table: Table, name: str) -> Lists:
    """Lists of ids."""
    lists = _lists(table, name, None, str, single=False)
    if isinstance(lists.entries, pa.Array):
        lists.entries = lists.entries.to_pylist()
    if lists.entries:
        lists.entries = _named(table, name, lists.entries, np.repeat(np.arange(table.rows), lists.lengths))
    return lists


def _lists(table: Table, name: str, pattern: re.Pattern | None, read: Callable[[str], Any], single: bool) -> Lists:
    """The entries of each row, unchecked except for those of CSV."""
    cells = table.columns[name]
    if isinstance(cells, pa.Array):
        return _arrow_lists(table, name, cells, single)
    if table.is_csv:
        return _csv_lists(table, name, cells, pattern, read)
    cells = scalars(table, name)
    if single and type(cells[0]) is int:
        return Lists(table, name, cells, np.ones(len(cells), dtype=np.int64))
    if type(cells[0]) is not list:
        raise table.fault(0, f"'{name}' is {shown(cells[0])}; {AS_LIST}")
    return Lists(table, name, list(chain.from_iterable(cells)), np.fromiter(map(len, cells), np.int64, len(cells)))


def _csv_lists(
    table: Table, name: str, cells: list[str], pattern: re.Pattern | None, read: Callable[[str], Any]
) -> Lists:
    entries = [cell.split() for cell in cells]
    lengths = np.fromiter(map(len, entries), np.int64, len(entries))
    try:
        if pattern and not CHARACTERS.fullmatch(" ".join(cells)):  # otherwise Python also reads 1_000 and nan
            raise ValueError
        return Lists(table, name, list(map(read, chain.from_iterable(entries))), lengths)
    except ValueError:
        assert pattern is not None  # without one, everything can be read
        row = next(row for row, each in enumerate(entries) if not all(map(pattern.fullmatch, each)))
        hint = "write finite numbers" if NO_NUMBER & set(cells[row].lower().split()) else AS_LIST_IN_CSV
        raise table.fault(row, f"'{name}' is {shown(cells[row])}; {hint}") from None


def _arrow_lists(table: Table, name: str, array: pa.Array, single: bool) -> Lists:
    if array.null_count:
        raise table.fault(pc.index(array.is_null(), True).as_py(), f"'{name}' is empty; fill it in, or remove the row")
    kind = array.type
    if single and pa.types.is_integer(kind):
        return Lists(table, name, array, np.ones(len(array), dtype=np.int64))
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
        raise table.fault(0, f"'{name}' is of type {kind}; {AS_LIST}")
    entries = array.flatten()
    entries = entries.dictionary_decode() if pa.types.is_dictionary(entries.type) else entries
    lengths = _array(pc.list_value_length(array)).astype(np.int64)
    lists = Lists(table, name, entries, lengths)
    if entries.null_count:
        entry = pc.index(entries.is_null(), True).as_py()
        raise lists.fault(entry, f"'{name}' holds an empty entry; fill it in, or remove the row")
    return lists


def _array(column: pa.Array) -> np.ndarray:
    """Numbers of a column without gaps; pyarrow's own `to_numpy` would import pandas."""
    return np.from_dlpack(column) if len(column) else np.empty(0)
