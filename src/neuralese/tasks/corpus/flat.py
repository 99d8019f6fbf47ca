"""Make a corpus from one flat file, in which every row is a message with the state it was said in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table, checked, read_csv, read_jsonl
from neuralese.tasks.corpus.guess import guess_columns, key_of, values_of
from neuralese.tasks.corpus.spelled import messages_of
from neuralese.tasks.corpus.write import check_free, settings_text, write_corpus

READERS: dict[str, Callable[[Path], Table]] = {"csv": read_csv, "jsonl": read_jsonl}


@dataclass(frozen=True)
class FlatColumns:
    """The role of each column of a flat file."""

    message: str = "message"
    states: tuple[str, ...] = ()  # by default, all others
    utterance: str | None = None  # what a human said about the state
    episode: str | None = None
    split: str | None = None


@dataclass(frozen=True)
class Imported:
    """What an import made, for the user."""

    states: int
    messages: int
    kind: str
    columns: dict[str, dict]
    left_out: dict[str, str]  # columns, and why
    names: tuple[str, ...] = ()  # of symbols that were numbered, in their order


def import_flat(
    kind: str, file: Path, folder: Path, columns: FlatColumns, title: str | None = None, licence: str | None = None
) -> Imported:
    """Make a corpus from a CSV or JSON Lines file; column types are guessed."""
    check_free(folder)
    table = checked(READERS[kind](file))
    named = [columns.message, *(name for name in (columns.utterance, columns.episode, columns.split) if name)]
    table.needs(*named, *columns.states)
    if "state_id" in columns.states:
        raise NeuraleseError(f"{file}: states are renumbered, so 'state_id' cannot be one of their columns; rename it.")
    chosen = columns.states or tuple(name for name in table.columns if name not in (*named, "state_id"))
    settings, notes, left_out = guess_columns(values := {name: values_of(table, name) for name in chosen})
    rows, first = numbered([values[name] for name in settings], table.rows)
    messages, form = messages_of(table, columns.message)
    states = {name: [values[name][row] for row in first] for name in settings}
    tables = {
        "states": {"state_id": list(range(len(first))), **states},
        "messages": {"state_id": rows, "message": messages, **_groups(table, columns)},
    }
    if columns.utterance:
        tables["utterances"] = _utterances(table, columns, rows)
    about: dict[str, Any] = {
        "title": title or file.stem,
        "licence": licence or "unknown",
        "messages": form,
    }
    about |= {"candidates": 2, "split": {"dev": 0.15, "test": 0.25} | ({"by": "episode"} if columns.episode else {})}
    about["utterances"] = {"language": "en", "least": 5} if columns.utterance else {"from": "states"}
    write_corpus(folder, settings_text(about, settings, notes), tables)
    return Imported(len(first), table.rows, form["kind"], settings, left_out, tuple(form.get("names", ())))


def numbered(columns: list[list], rows: int) -> tuple[list[int], list[int]]:
    """The number of each row's state, the same for equal states, and the row in which each first appears."""
    numbers: dict[str, int] = {}
    first: list[int] = []
    found = []
    for row in range(rows):
        key = key_of([column[row] for column in columns])
        if key not in numbers:
            numbers[key] = len(first)
            first.append(row)
        found.append(numbers[key])
    return found, first


def _utterances(table: Table, columns: FlatColumns, rows: list[int]) -> dict[str, list]:
    """What humans said, in the rows where they said something."""
    cells = table.columns[str(columns.utterance)]
    said = [row for row, cell in enumerate(cells) if cell not in (None, "")]
    if wrong := [row for row in said if not isinstance(cells[row], str)]:
        raise table.fault(wrong[0], f"'{columns.utterance}' is {shown(cells[wrong[0]])}, not text; write text")
    if not said:
        raise NeuraleseError(
            f"{table.path}: '{columns.utterance}' is empty in every row; name the column that holds text."
        )
    groups = {name: [values[row] for row in said] for name, values in _groups(table, columns).items()}
    return {"state_id": [rows[row] for row in said], "text": [cells[row] for row in said], **groups}


def _groups(table: Table, columns: FlatColumns) -> dict[str, list]:
    """The columns that say which rows belong together."""
    named = {"episode": columns.episode, "split": columns.split}
    return {ours: values_of(table, theirs) for ours, theirs in named.items() if theirs}
