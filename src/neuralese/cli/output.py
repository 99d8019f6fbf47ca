"""Printing: tables with lines and colours on a terminal, aligned plain text elsewhere, or JSON."""

import json
import math
import re
import sys
from collections.abc import Sequence
from typing import Any

import click


def plain(text: str) -> str:
    """Text from a file made safe for a terminal: anything that would move the cursor or hide something is escaped.

    Control characters, those that change the direction of writing, and lone surrogates become escapes.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


FIGURE = re.compile(r"[-+\[]?[.\d]")  # the beginning of a cell that must not be broken: a number, an interval, a vector
BETWEEN = 2  # characters between two columns on a terminal


def on_terminal() -> bool:
    """Whether a person reads the output."""
    return sys.stdout.isatty()


def clock_time(seconds: float) -> str:
    """Seconds as minutes, or hours, such as 1:05 and 2:00:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "", spare: Sequence[str] = ()) -> None:
    """Print rows under their head; columns of numbers are right-aligned.

    On a terminal that is too narrow, columns named in `spare` are left out, in that order; text is broken between
    words. If that does not help, each row is printed as a list. No number is ever cut.
    """
    head, title = [plain(str(name)) for name in head], plain(title)
    cells = [[plain(_text(value)) for value in row] for row in rows]
    right = [all(_is_number(row[place]) for row in cells) for place in range(len(head))]
    if on_terminal():
        _print_rich(head, cells, right, title, spare)
        return
    widths = [max(len(name), *(len(row[place]) for row in cells), 0) for place, name in enumerate(head)]
    lines = [title] if title else []
    for row in [head, *cells]:
        columns = zip(row, widths, right, strict=True)
        lines.append("  ".join(cell.rjust(width) if last else cell.ljust(width) for cell, width, last in columns))
    click.echo("\n".join(line.rstrip() for line in lines))


def _print_rich(
    head: Sequence[str], cells: list[list[str]], right: list[bool], title: str, spare: Sequence[str]
) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    least = [_least_width(name, [row[place] for row in cells]) for place, name in enumerate(head)]
    kept = _fitting(head, least, console.width, spare)
    if kept is None:
        _print_lists(head, cells, title)
        return
    whole = [max(len(name), *(len(row[place]) for row in cells), 0) for place, name in enumerate(head)]
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for place, width in zip(kept, _widths(least, whole, kept, console.width), strict=True):
        table.add_column(Text(head[place]), justify="right" if right[place] else "left", width=width, overflow="fold")
    for row in cells:
        table.add_row(*(Text(row[place]) for place in kept))
    if title:
        console.print(Text(title, style="italic"))
    console.print(table)
    if left_out := [name for place, name in enumerate(head) if place not in kept]:
        click.echo(f"(Left out to fit the terminal: {', '.join(left_out)}; widen it, pipe or use --json to see all.)")


def _widths(least: list[int], whole: list[int], kept: list[int], width: int) -> list[int]:
    """The widths of columns: their minimum, and a share of what is left for those that need more."""
    widths = {place: least[place] for place in kept}
    left = width - BETWEEN * (len(kept) - 1) - sum(widths.values())
    while left > 0 and (tight := [place for place in kept if widths[place] < whole[place]]):
        for place in tight[:left]:
            widths[place] += 1
        left -= len(tight[:left])
    return list(widths.values())


def _least_width(name: str, cells: list[str]) -> int:
    """The minimum width of a column in which no figure or word is broken."""
    wholes = [cell for cell in cells if FIGURE.match(cell)]
    words = [word for cell in cells if not FIGURE.match(cell) for word in cell.split()]
    return max((len(text) for text in (*wholes, *words, *name.split())), default=1)


def _fitting(head: Sequence[str], least: list[int], width: int, spare: Sequence[str]) -> list[int] | None:
    """The columns that fit next to each other, dropping as few of `spare` as needed; None if the others do not fit."""
    kept = list(range(len(head)))
    for name in (None, *spare):
        kept = [place for place in kept if head[place] != name]
        if sum(least[place] for place in kept) + BETWEEN * (len(kept) - 1) <= width:
            return kept
    return None


def _print_lists(head: Sequence[str], cells: list[list[str]], title: str) -> None:
    """Each row as a list of names and values, separated by empty lines."""
    longest = max(map(len, head), default=0)
    click.echo(title, nl=bool(title))
    for row in cells:
        click.echo()
        for name, cell in zip(head, row, strict=True):
            click.echo(f"{name.ljust(longest)}  {cell}".rstrip())


def print_json(value: Any) -> None:
    """Print JSON; NaN becomes null."""
    click.echo(plain_json(value, indent=2))


def plain_json(value: Any, indent: int | None = None) -> str:
    """JSON that is safe for a terminal: what is not is escaped the JSON way, so that it reads the same."""
    text = json.dumps(_clean(value), indent=indent, ensure_ascii=False, allow_nan=False)
    return "".join(each if each.isprintable() or each == "\n" else json.dumps(each)[1:-1] for each in text)


def brief(vector: Sequence[float], shown: int = 3) -> str:
    """A vector in a few words: its first numbers, its length, its norm."""
    norm = math.sqrt(sum(value * value for value in vector))
    first = " ".join(f"{value:.2f}" for value in vector[:shown])
    return f"[{first}{' …' if len(vector) > shown else ''}] {len(vector)} numbers, norm {norm:.2f}"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        is_vector = len(value) > 4 and all(isinstance(each, float) for each in value)
        return brief(value) if is_vector else " ".join(_text(each) for each in value)
    return str(value)


def _is_number(cell: str) -> bool:
    try:
        float(cell or "0")
    except ValueError:
        return False
    return True


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _clean(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
