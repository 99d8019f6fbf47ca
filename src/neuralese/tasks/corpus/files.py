"""The untrusted files of a corpus: text, CSV, JSON Lines and Parquet, as columns of cells with the line of each row.

Cells of CSV are strings, those of JSON Lines and Parquet Python's values. `columns.convert` turns them into arrays of
the declared types.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from neuralese.errors import NeuraleseError, reason, shown

# C0, C1, lone surrogates, and characters that reverse the direction of text; tabs and line ends are checked separately
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")
CONTROL_OR_BREAK = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


class CorpusError(NeuraleseError):
    """Everything wrong with a corpus: `sentences`; as text, the first of them."""

    def __init__(self, folder: str | Path, sentences: list[str]) -> None:
        more = len(sentences) - 1
        rest = f" (neuralese corpus check {folder} names {more} more)" if more else ""
        super().__init__(sentences[0] + rest)
        self.sentences = tuple(sentences)


class Faults(list[str]):
    """The faults of parts that can be read independently, a sentence each."""

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Record the faults of the block, and continue after it."""
        try:
            yield
        except CorpusError as error:
            self.extend(error.sentences)
        except NeuraleseError as error:
            self.append(str(error))


@dataclass(frozen=True)
class Source:
    """A file with a table: its columns as they are written there, and where each row is."""

    path: Path
    columns: dict[str, list]
    rows: int
    lines: list[int] | None = None  # of each row, in a text file
    is_csv: bool = False

    def place(self, row: int) -> str:
        """The location of a row inside the file."""
        return f"line {self.lines[row]}" if self.lines else f"row {row} (counted from 0)"

    def fault(self, row: int, what: str) -> NeuraleseError:
        """One sentence about a row."""
        return NeuraleseError(f"{self.path}, {self.place(row)}: {what}" + ("" if what.endswith("?") else "."))

    def refuse(self, wrong: Any, what: Callable[[int], str]) -> None:
        """Raise the fault of the first row that is `wrong`, if any is."""
        for row in np.flatnonzero(wrong)[:1].tolist():
            raise self.fault(row, what(row))

    def needs(self, *names: str) -> None:
        """Refuse the table if it lacks a column."""
        for name in names:
            if name not in self.columns:
                there = ", ".join(self.columns)
                raise NeuraleseError(f"{self.path} has no column '{name}'; add it (there are {there}).")


def control_character(text: str, breaks_allowed: bool = False) -> str | None:
    """The first control character of a text, as named in a sentence; tabs and line ends may be allowed."""
    found = (CONTROL if breaks_allowed else CONTROL_OR_BREAK).search(text)
    return f"U+{ord(found[0]):04X} in {shown(text)}" if found else None


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that should exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NeuraleseError(f"{path} does not exist; `neuralese corpus new DIR` writes an example of one.") from None
    except OSError as error:
        raise NeuraleseError(f"{path} cannot be read ({error.strerror}); make it readable.") from None


def read_text(path: Path) -> str:
    """The text of an untrusted file: UTF-8, with the line ends of any system."""
    content = read_bytes(path)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, byte = content.count(b"\n", 0, error.start) + 1, content[error.start]
        raise NeuraleseError(f"{path}, line {line} is not UTF-8 (byte {byte:#04x}); save the file as UTF-8.") from None


def find_table(folder: Path, name: str) -> Path | None:
    """The one file of a table, if there is any."""
    found = sorted(path for path in folder.iterdir() if path.stem == name and path.suffix.lower() in READERS)
    if len(found) > 1:
        both = f"{found[0].name} and {found[1].name}"
        raise NeuraleseError(f"{folder} has both {both}; remove one of them, since each table is one file.")
    return found[0] if found else None


def open_table(path: Path, suffix: str | None = None) -> Source:
    """Read a table by its suffix; its columns have plain names, and it has at least one row."""
    source = READERS[suffix or path.suffix.lower()](path)
    for name in source.columns:
        if found := control_character(name):
            raise NeuraleseError(f"{path} has a column with the control character {found} in its name; rename it.")
    if not source.rows:
        raise NeuraleseError(f"{path} has no rows; add some, or remove the file if it is optional.")
    return source


def _read_csv(path: Path) -> Source:
    """Read CSV: the first line names the columns."""
    rows, lines, before = [], [], 0
    csv.field_size_limit(2**31 - 1)  # a vector of ten thousand numbers exceeds the default
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True, skipinitialspace=True)
    try:
        for row in reader:
            if row:  # not a blank line
                rows.append(row)
                lines.append(before + 1)
            before = reader.line_num
    except csv.Error as error:
        advice = "put cells that hold commas or quotes in quotes, and double the quotes inside them"
        raise NeuraleseError(f"{path}, line {before + 1} is not CSV ({reason(error)}); {advice}.") from None
    if not rows:
        raise NeuraleseError(f"{path} is empty; its first line should name the columns.")
    head, rows, lines = [name.strip() for name in rows[0]], rows[1:], lines[1:]
    _check_names(path, head)
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(head):
            raise NeuraleseError(
                f"{path}, line {line} has {len(row)} cell(s), but the first line names {len(head)} column(s); "
                "put cells that hold commas in quotes."
            )
    cells = zip(*rows, strict=True) if rows else ((),) * len(head)
    columns = {name: [cell.strip() for cell in column] for name, column in zip(head, cells, strict=True)}
    return Source(path, columns, len(rows), lines, is_csv=True)


def _check_names(path: Path, names: list[str]) -> None:
    for position, name in enumerate(names):
        if not name:
            raise NeuraleseError(f"{path} has no name for column {position + 1}; name it in the first line.")
        if name in names[:position]:
            raise NeuraleseError(f"{path} has two columns called {shown(name)}; rename one of them.")


def _read_jsonl(path: Path) -> Source:
    """Read JSON Lines: one object per line, whose keys are the columns."""
    records, lines = [], []
    for line, text in enumerate(read_text(path).split("\n"), start=1):
        if not text or text.isspace():
            continue
        try:
            record = json.loads(text)
        except (ValueError, RecursionError) as error:
            why = "it is nested too deeply" if isinstance(error, RecursionError) else reason(error)
            what = f"is not a JSON object ({why}); write one whole object on each line"
            raise NeuraleseError(f"{path}, line {line} {what}.") from None
        if not isinstance(record, dict):
            what = f"is {shown(record)}, not a JSON object; write one object, {{...}}, on each line"
            raise NeuraleseError(f"{path}, line {line} {what}.")
        records.append(record)
        lines.append(line)
    names = dict.fromkeys(name for record in records for name in record)
    return Source(path, {name: [record.get(name) for record in records] for name in names}, len(records), lines)


def _read_parquet(path: Path) -> Source:
    """Read Parquet, all of whose text must be UTF-8."""
    content = read_bytes(path)
    try:
        table = pq.ParquetFile(pa.BufferReader(content)).read()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise NeuraleseError(f"{path} is not a whole Parquet file ({reason(error)}); write it again.") from None
    _check_names(path, table.column_names)
    return Source(path, {name: table[name].to_pylist() for name in table.column_names}, table.num_rows)


READERS = {".parquet": _read_parquet, ".csv": _read_csv, ".jsonl": _read_jsonl, ".ndjson": _read_jsonl}
