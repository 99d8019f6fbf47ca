"""The tables of a corpus, read from Parquet, CSV or JSON Lines: columns of cells, and the location of each row.

Cells of CSV are strings, and an empty one is missing. Cells of JSON Lines have JSON types. Columns of Parquet are
arrays of pyarrow. What the cells mean is determined in `columns`.
"""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.faults import reason, shown
from neuralese.tasks.corpus.text_file import control_character, read_bytes, read_text

TABLES = ("states", "messages", "contexts", "utterances")
FORMATS = ".parquet, .csv and .jsonl"
ALIKE = (".json", ".tsv", ".txt", ".xlsx", ".xls", ".ods", ".feather", ".arrow", ".npy", ".npz", ".pkl", ".pt", ".gz")


@dataclass(frozen=True)
class Table:
    """Columns of equal length, and the file they come from."""

    path: Path
    columns: dict[str, list | pa.Array]
    rows: int
    lines: list[int] | None  # of each row, in a text file
    is_csv: bool = False  # whether cells are texts

    def where(self, row: int) -> str:
        """The location of a row in the file."""
        return f"{self.path}, line {self.lines[row]}" if self.lines else f"{self.path}, row {row} (counted from 0)"

    def fault(self, row: int, what: str) -> NeuraleseError:
        """One sentence about a row."""
        return NeuraleseError(f"{self.where(row)}: {what}.")

    def needs(self, *names: str) -> None:
        """Refuse the table if it lacks a column."""
        for name in names:
            if name not in self.columns:
                there = ", ".join(self.columns)
                raise NeuraleseError(f"{self.path} has no column '{name}'; add it (there are {there}).")


def find_table(folder: Path, name: str) -> Path | None:
    """The one file of a table, if there is any."""
    named = sorted(path for path in folder.iterdir() if path.stem == name)
    found = [path for path in named if path.suffix.lower() in READERS]
    if len(found) > 1:
        raise NeuraleseError(
            f"{folder} has both {found[0].name} and {found[1].name}; remove one of them, since each table is one file."
        )
    if not found and (other := [path for path in named if path.suffix.lower() in ALIKE]):
        raise NeuraleseError(f"{other[0]} is in an unknown format; save it as one of {FORMATS}.")
    return found[0] if found else None


def read_table(path: Path) -> Table:
    """Read a table by its suffix; it has at least one row."""
    return checked(READERS[path.suffix.lower()](path))


def checked(table: Table) -> Table:
    """The same table, if its columns have plain names and it has rows."""
    for name in table.columns:
        if found := control_character(name):
            raise NeuraleseError(
                f"{table.path} has a column with the control character {found} in its name; rename it."
            )
    if not table.rows:
        raise NeuraleseError(f"{table.path} has no rows; add some, or remove the file if it is optional.")
    return table


def read_csv(path: Path) -> Table:
    """Read CSV: the first line names the columns."""
    rows, lines = [], []
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True, skipinitialspace=True)
    try:
        with _cells_of_any_size():
            before = 0
            for row in reader:
                if row:  # not a blank line
                    rows.append(row)
                    lines.append(before + 1)
                before = reader.line_num
    except csv.Error as error:
        raise NeuraleseError(
            f"{path}, line {before + 1} is not CSV ({reason(error)}); put cells that hold commas or quotes in quotes, "
            "and double the quotes inside them."
        ) from None
    if not rows:
        raise NeuraleseError(f"{path} is empty; its first line should name the columns.")
    head = [name.strip() for name in rows.pop(0)]
    lines.pop(0)
    _check_names(path, head)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(head):
            raise NeuraleseError(
                f"{path}, line {line} has {len(row)} cell(s), but the first line names {len(head)} column(s); "
                "put cells that hold commas in quotes."
            )
    cells = zip(*rows, strict=True) if rows else ((),) * len(head)
    columns = {name: [cell.strip() for cell in column] for name, column in zip(head, cells, strict=True)}
    return Table(path, columns, len(rows), lines, is_csv=True)


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    """A vector of ten thousand numbers exceeds the csv module's default cell size."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _check_names(path: Path, names: list[str]) -> None:
    if len(names) == 1 and (other := {";", "\t"} & set(names[0])):
        raise NeuraleseError(f"{path} separates its cells with {other.pop()!r}; separate them with commas.")
    for position, name in enumerate(names):
        if not name:
            raise NeuraleseError(f"{path} has no name for column {position + 1}; name it in the first line.")
        if name in names[:position]:
            raise NeuraleseError(f"{path} has two columns called {shown(name)}; rename one of them.")


def read_jsonl(path: Path) -> Table:
    """Read JSON Lines: one object per line, whose keys are the columns."""
    records, lines = [], []
    decoder = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_once)
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        if not text or text.isspace():
            continue
        try:
            record = decoder.decode(text)
        except (ValueError, RecursionError) as error:
            why = "it is nested too deeply" if isinstance(error, RecursionError) else reason(error)
            raise NeuraleseError(
                f"{path}, line {line} is not a JSON object ({why}); write one whole object on each line."
            ) from None
        if not isinstance(record, dict):
            raise NeuraleseError(
                f"{path}, line {line} is {shown(record)}, not a JSON object; write one object, {{...}}, on each line."
            )
        records.append(record)
        lines.append(line)
    names = dict.fromkeys(name for record in records for name in record)
    return Table(path, {name: [record.get(name) for record in records] for name in names}, len(records), lines)


def _no_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number; leave the row out or write a finite number")


def _once(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("it has a key twice")
    return record


def _parquet(path: Path) -> Table:
    content = read_bytes(path)
    try:
        table = pq.ParquetFile(pa.BufferReader(content)).read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise NeuraleseError(f"{path} is not a whole Parquet file ({reason(error)}); write it again.") from None
    names = table.column_names
    _check_names(path, names)
    return Table(path, {name: _plain(table[name]) for name in names}, table.num_rows, None)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """One array, with its dictionary decoded."""
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


READERS = {".parquet": _parquet, ".csv": read_csv, ".jsonl": read_jsonl, ".ndjson": read_jsonl}
