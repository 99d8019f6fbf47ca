"""Guess the column types of an unfamiliar table; guesses are written into `corpus.yaml` to be corrected."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.columns import INTEGER, NUMBER, scalars
from neuralese.tasks.corpus.files import Table
from neuralese.tasks.corpus.states import HEX, MOST_CATEGORIES

FEW = 12  # whole numbers with at most this many different values are taken for categories
WIDE = 32  # arrays of up to this many numbers become one column per number
TURNING = re.compile(r"angle|heading|direction|orientation|bearing|azimuth|hue|phase|rotation", re.IGNORECASE)
COLORED = re.compile(r"colou?r|rgb", re.IGNORECASE)
LIST = re.compile(r"[\[(]?\s*(.*?)\s*[\])]?", re.DOTALL)


def values_of(table: Table, name: str) -> list:
    """The cells of a column as numbers, lists of numbers, true and false, or texts: all of one kind."""
    cells = scalars(table, name)
    if not table.is_csv:
        if type(cells[0]) is dict:
            raise table.fault(0, f"'{name}' is an object; give its parts their own columns")
        return cells
    if all(map(INTEGER.fullmatch, cells)):
        return list(map(int, cells))
    if all(map(NUMBER.fullmatch, cells)):
        return list(map(float, cells))
    lists = [numbers_in(cell) for cell in cells]
    return cells if None in lists else lists


def numbers_in(text: str) -> list[int] | list[float] | None:
    """The numbers in a list as people write it ("1 2", "1, 2", "[1 2]", "[1, 2]"), or none if it is not a list."""
    inside = LIST.fullmatch(text)
    assert inside is not None  # the pattern matches anything
    parts = inside[1].replace(",", " ").split()
    if all(map(INTEGER.fullmatch, parts)):
        return list(map(int, parts))
    return list(map(float, parts)) if all(map(NUMBER.fullmatch, parts)) else None


def guess_column(name: str, values: Sequence) -> tuple[dict[str, Any] | None, str]:
    """The settings of a column and why they were guessed; none if it holds nothing usable."""
    first = values[0]
    if isinstance(first, list):
        return _guess_lists(name, values)
    if isinstance(first, bool) or (isinstance(first, str) and not HEX.fullmatch(first)):
        return _guess_category(set(map(str, values)))
    if isinstance(first, str):
        is_color = all(map(HEX.fullmatch, values))
        return ({"type": "color"}, "guessed: all are #rrggbb") if is_color else _guess_category(set(values))
    low, high = min(values), max(values)
    found = f"from {low:g} to {high:g}"
    if TURNING.search(name) and (period := _period(low, high)):
        return {"type": "circular", "period": period}, f"guessed by its name: {found}"
    different = len(set(values))
    if all(isinstance(each, int) for each in values) and different <= FEW:
        return {"type": "category"}, f"guessed: {different} different whole numbers; or number, if more is more"
    return {"type": "number"}, f"guessed: {found}"


def _guess_lists(name: str, values: Sequence[list]) -> tuple[dict[str, Any] | None, str]:
    lengths = {len(each) for each in values}
    if len(lengths) > 1 or not all(type(part) in (int, float) for each in values for part in each):
        return None, "left out: lists of different lengths, or not of numbers"
    if lengths == {3} and COLORED.search(name) and all(0 <= part <= 255 for each in values for part in each):
        return {"type": "color"}, "guessed by its name: three numbers from 0 to 255"
    return {"type": "vector"}, f"guessed: {lengths.pop()} numbers"


def _guess_category(names: set[str]) -> tuple[dict[str, Any] | None, str]:
    if len(names) > MOST_CATEGORIES:
        return None, f"left out: {len(names):,} different texts are more than a category may have"
    some = ", ".join(sorted(names)[:3])
    plain = some if some.isprintable() and len(some) < 60 else "texts"
    return {"type": "category"}, f"guessed: {len(names)} different values, such as {plain}"


def _period(low: float, high: float) -> float | None:
    """The period, of degrees or radians."""
    if high - low <= 2 * math.pi + 1e-6 and high - low > 1 and (high != int(high) or low != int(low)):
        return round(2 * math.pi, 6)
    return 360 if high - low <= 360 and high - low > 2 * math.pi else None


def guess_columns(values: Mapping[str, Sequence]) -> tuple[dict[str, dict[str, Any]], dict[str, str], dict[str, str]]:
    """Settings of the usable columns, notes on them, and why others are not usable."""
    settings, notes, left_out = {}, {}, {}
    for name, column in values.items():
        guessed, why = guess_column(name, column)
        if guessed is None:
            left_out[name] = why
        else:
            settings[name], notes[name] = guessed, why
    if not settings:
        reasons = "; ".join(f"{name} is {why}" for name, why in left_out.items())
        raise NeuraleseError(f"no column describes the states ({reasons or 'there is none'}); name other columns.")
    return settings, notes, left_out


def key_of(values: Sequence) -> str:
    """Equal for equal states."""
    return json.dumps(values, sort_keys=True)
