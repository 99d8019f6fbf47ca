"""Write a corpus, a folder that is either whole or absent, with the column types that are declared or guessed."""

import csv
import math
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from neuralese.errors import NeuraleseError, reason
from neuralese.storage.files import atomic, storage_problem, write_text
from neuralese.tasks.corpus.columns import HEX
from neuralese.tasks.corpus.settings import FILE
from neuralese.tasks.corpus.states import MOST_CATEGORIES

FEW = 12  # whole numbers with at most this many different values are taken for categories
WIDE = 32  # arrays of up to this many numbers become one column per number
EXAMPLE = Path(__file__).with_name("example")
Columns = Mapping[str, list]  # of Python's own values, all of one length
HEAD = """\
# A corpus: what agents said, and in which states. `neuralese corpus check` shows what is in it, or what is wrong.
"""


def check_free(folder: Path) -> None:
    """Refuse a folder that is not empty."""
    if folder.exists() and not folder.is_dir():
        raise NeuraleseError(f"{folder} is a file; name a folder that does not exist yet.")
    if folder.is_dir() and any(folder.iterdir()):
        raise NeuraleseError(f"{folder} is not empty; name a folder that does not exist yet, or empty it.")


def new_corpus(folder: Path) -> None:
    """Write a small working corpus, for users to look at and to replace with their own."""
    with _staged(folder) as staging:
        shutil.copytree(EXAMPLE, staging, dirs_exist_ok=True, copy_function=shutil.copyfile)


def write_corpus(
    folder: str | Path, settings: str, tables: Mapping[str, Columns | pa.Table], suffix: str = ".parquet"
) -> None:
    """Write `corpus.yaml` as given, and tables by name."""
    with _staged(Path(folder)) as staging:
        for name, table in tables.items():
            (_write_csv if suffix == ".csv" else _write_parquet)(staging / f"{name}{suffix}", table)
        write_text(staging / FILE, settings)


@contextmanager
def _staged(folder: Path) -> Iterator[Path]:
    """Another folder, whose files are moved to `folder` at the end; nothing is left behind if anything goes wrong."""
    check_free(folder)
    beside = folder if folder.is_dir() else folder.absolute().parent
    staging = beside / f".{folder.absolute().name}.{uuid.uuid4().hex[:8]}.tmp"
    try:
        staging.mkdir(parents=True)
        yield staging
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


def _write_parquet(path: Path, columns: Columns | pa.Table) -> None:
    made: Any = columns
    if isinstance(columns, Mapping):
        made = {}
        for name, values in columns.items():
            try:
                made[name] = pa.array(values)
            except (pa.ArrowException, OverflowError) as error:
                where = f"{path.stem}: the column '{name}'"
                raise NeuraleseError(f"{where} cannot be written ({reason(error)}); use values of one type.") from None
        made = pa.table(made)
    with atomic(path) as temporary:
        pq.write_table(made, temporary, compression="zstd")


def _write_csv(path: Path, columns: Columns | pa.Table) -> None:
    columns = columns if isinstance(columns, Mapping) else columns.to_pydict()
    with atomic(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for row in zip(*columns.values(), strict=True):
            writer.writerow(" ".join(map(str, cell)) if isinstance(cell, list) else cell for cell in row)


def settings_text(settings: Mapping[str, Any], states: Mapping[str, Mapping[str, Any]]) -> str:
    """The text of `corpus.yaml`: `settings` on a line each, the `states` after the messages."""
    lines = [HEAD.rstrip()]
    for key, value in settings.items():
        lines.append(f"{key}: {yaml_value(value)}")
        if key == "messages":
            lines.append("states:  # one entry for each column that describes the state; others are ignored")
            for name, column in states.items():
                lines.append(f"  {yaml_value(name)}: {yaml_value(column)}")
    return "\n".join(lines) + "\n"


def yaml_value(value: object) -> str:
    """A value as YAML on one line."""
    options: Any = {"default_flow_style": True, "sort_keys": False, "allow_unicode": True, "width": math.inf}
    text = yaml.dump(value, Dumper=_Dumper, **options)
    return text.removesuffix("...\n").rstrip("\n")


class _Dumper(yaml.SafeDumper):
    """Writes every value out, also one that occurs twice."""

    def ignore_aliases(self, data: Any) -> bool:
        """Whether to write a value out."""
        return True


def guess_columns(values: Mapping[str, Sequence]) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Settings of the usable columns of an unfamiliar table, and why others are not usable."""
    guesses = {name: _guess(column) for name, column in values.items()}
    settings = {name: {"type": kind} for name, (kind, _) in guesses.items() if kind}
    left_out = {name: f"left out: {why}" for name, (kind, why) in guesses.items() if not kind}
    if not settings:
        reasons = "; ".join(f"{name} is {why}" for name, why in left_out.items())
        raise NeuraleseError(f"no column describes the states ({reasons or 'there is none'}); name other columns.")
    return settings, left_out


def _guess(values: Sequence) -> tuple[str, str]:
    """The type of a column or, if it is not usable, why."""
    if isinstance(values[0], list):
        alike = all(isinstance(each, list) and len(each) == len(values[0]) for each in values)
        if not alike or not all(type(part) in (int, float) for each in values for part in each):
            return "", "lists of different lengths, or not of numbers"
        return "vector", ""
    if isinstance(values[0], bool | str):
        if all(isinstance(each, str) and HEX.fullmatch(each) for each in values):
            return "color", ""
        different = len(set(map(str, values)))
        few = different <= MOST_CATEGORIES
        return ("category", "") if few else ("", f"{different:,} different texts are more than a category may have")
    few = all(isinstance(each, int) for each in values) and len(set(values)) <= FEW
    return ("category" if few else "number"), ""
