"""The messages of a flat file: numbers, or letters and words, which are numbered in alphabetical order."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from neuralese.tasks.corpus.columns import NUMBER
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.files import Table
from neuralese.tasks.corpus.guess import values_of
from neuralese.tasks.corpus.text_file import control_character

OPENING, BRACKETS, QUOTES = ("[", "("), "[]() ", "'\""
SEPARATOR = re.compile(r"[\s,]")


def messages_of(table: Table, name: str) -> tuple[list[list], dict[str, Any]]:
    """Messages as lists of numbers, and their settings in `corpus.yaml`: their kind and, of letters, their names."""
    values = values_of(table, name)
    if type(values[0]) is str:
        values = _cut(values)
    values = [each if type(each) is list else [each] for each in values]
    if empty := [row for row, each in enumerate(values) if not each]:
        raise table.fault(empty[0], f"'{name}' is empty; fill it in, or remove the row")
    _check(table, name, values)
    if type(values[0][0]) is str:
        names = sorted({part for each in values for part in each})
        places = {part: place for place, part in enumerate(names)}
        return [[places[part] for part in each] for each in values], {"kind": "symbols", "names": names}
    _check_sizes(table, name, values)
    return values, {"kind": "vector" if float in _types(values) else "symbols"}


def _cut(cells: list[str]) -> list[list[str]]:
    """The symbols of texts: what spaces or commas separate or, if no text has any, its characters."""
    inside = [cell.strip(BRACKETS) for cell in cells]
    if not any(map(SEPARATOR.search, inside)) and not any(cell.startswith(OPENING) for cell in cells):
        return [list(cell) for cell in inside]
    quoted = [QUOTES if cell.startswith(OPENING) else "" for cell in cells]
    parts = [SEPARATOR.sub(" ", cell).split() for cell in inside]
    return [[part.strip(marks) or part for part in each] for each, marks in zip(parts, quoted, strict=True)]


def _types(values: Iterable[list]) -> set[type]:
    return {type(part) for each in values for part in each}


def _check(table: Table, name: str, values: list[list]) -> None:
    """Refuse numbers among letters, of which one is a slip, and what can be neither."""
    is_number: Callable[[Any], Any] = (
        NUMBER.fullmatch if _types(values) == {str} else lambda part: type(part) is not str
    )
    numeric = [sum(map(bool, map(is_number, each))) for each in values]
    total, numbers = sum(map(len, values)), sum(numeric)
    for row, each in enumerate(values):
        if (numbers > total / 2 and numeric[row] < len(each)) or (0 < numbers <= total / 2 and numeric[row]):
            what = " ".join(map(str, each))
            raise table.fault(row, f"'{name}' holds {shown(what)}; write all messages in numbers, or all in letters")
        for part in each:
            if type(part) not in (str, int, float) or (type(part) is str and _is_unprintable(part)):
                raise table.fault(row, f"'{name}' holds {shown(part)}; write symbols as numbers, letters or words")


def _is_unprintable(part: str) -> bool:
    return part.split() != [part] or control_character(part) is not None


def _check_sizes(table: Table, name: str, values: list[list]) -> None:
    for row, each in enumerate(values):
        if any(type(part) is int and abs(part) >= 2**31 for part in each):
            raise table.fault(row, f"'{name}' holds a number that is too large; use smaller ones")
