"""Write a corpus: a folder that is either whole or absent."""

import csv
import json
import os
import re
import shutil
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.errors import NeuraleseError
from neuralese.storage.files import atomic, storage_problem, write_text
from neuralese.tasks.corpus.faults import reason
from neuralese.tasks.corpus.settings import FILE

if TYPE_CHECKING:
    import pyarrow as pa

PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
NOT_TEXT = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}  # as YAML reads them
Columns = Mapping[str, list]  # of Python's own values, all of one length
HEAD = """\
# A corpus: what agents said, and in which states. `neuralese corpus check` shows what is in it, or what is wrong.
"""


def check_free(folder: Path) -> None:
    """Refuse a folder that is not empty."""
    if folder.is_symlink() and not folder.exists():
        raise NeuraleseError(f"{folder} is a broken link; remove it, or name another folder.")
    if folder.exists() and not folder.is_dir():
        raise NeuraleseError(f"{folder} is a file; name a folder that does not exist yet.")
    if folder.is_dir() and any(folder.iterdir()):
        raise NeuraleseError(f"{folder} is not empty; name a folder that does not exist yet, or empty it.")


def write_corpus(
    folder: str | Path,
    settings: str,
    tables: "Mapping[str, Columns | pa.Table]",
    texts: Mapping[str, str] | None = None,
    suffix: str = ".parquet",
) -> None:
    """Write `corpus.yaml` as given, tables by name, and other `texts` by file name.

    Everything is written under another name first, so that nothing is left behind if anything goes wrong.
    """
    folder = Path(folder)
    check_free(folder)
    beside = folder if folder.is_dir() else folder.absolute().parent
    staging = beside / f".{folder.absolute().name}.{uuid.uuid4().hex[:8]}.tmp"
    try:
        staging.mkdir(parents=True)
        for name, table in tables.items():
            (_write_csv if suffix == ".csv" else _write_parquet)(staging / f"{name}{suffix}", table)
        for name, text in {**(texts or {}), FILE: settings}.items():
            write_text(staging / name, text)
        if folder.is_dir():
            for path in sorted(staging.iterdir(), key=lambda path: path.name == FILE):  # last: it makes a corpus
                os.replace(path, folder / path.name)
        else:
            os.replace(staging, folder)
    except OSError as error:
        other = f"{folder} cannot be written ({error.strerror}); choose another folder."
        raise NeuraleseError(storage_problem(error, folder, staging) or other) from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write_parquet(path: Path, columns: "Columns | pa.Table") -> None:
    import pyarrow as pa  # here, since its arrays import pandas, which is not needed elsewhere
    import pyarrow.parquet as pq

    made = {} if isinstance(columns, Mapping) else dict(zip(columns.column_names, columns.columns, strict=True))
    for name, values in columns.items() if isinstance(columns, Mapping) else ():
        try:
            made[name] = pa.array(_alike(values))
        except (pa.ArrowException, OverflowError) as error:
            where = f"{path.stem}: the column '{name}'"
            raise NeuraleseError(f"{where} cannot be written ({reason(error)}); use values of one type.") from None
    with atomic(path) as temporary:
        pq.write_table(pa.table(made), temporary, compression="zstd")


def _alike(values: list) -> list:
    """Integers among floats as floats, also in lists."""
    if any(type(each) is float for each in values):
        return [float(each) if type(each) is int else each for each in values]
    if any(type(each) is list and any(type(part) is float for part in each) for each in values):
        return [list(map(float, each)) for each in values]
    return values


def _write_csv(path: Path, columns: "Columns | pa.Table") -> None:
    columns = columns if isinstance(columns, Mapping) else columns.to_pydict()
    with atomic(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(" ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row)


def settings_text(
    settings: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]], notes: Mapping[str, str] | None = None
) -> str:
    """The text of `corpus.yaml`: `settings` on a line each, the `states` after the messages, and `notes` on columns."""
    lines = [HEAD.rstrip()]
    for key, value in settings.items():
        lines.append(f"{key}: {yaml_value(value)}")
        if key == "messages":
            lines.append("states:  # one entry for each column that describes the state; others are ignored")
            for name, column in states.items():
                note = f"  # {notes[name]}" if notes and name in notes else ""
                lines.append(f"  {yaml_value(name)}: {yaml_value(column)}{note}")
    return "\n".join(lines) + "\n"


def yaml_value(value: object) -> str:
    """A value as YAML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{yaml_value(name)}: {yaml_value(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(yaml_value, value)) + "]"
    if isinstance(value, str):
        is_plain = PLAIN.fullmatch(value) and value.lower() not in NOT_TEXT
        quoted = json.dumps(value, ensure_ascii=False)
        return value if is_plain else "".join(each if each.isprintable() else f"\\U{ord(each):08x}" for each in quoted)
    text = repr(value) if isinstance(value, float) else json.dumps(value)
    return text.replace("e", ".0e") if "e-" in text and "." not in text else text  # YAML reads 1e-05 as text
