"""Printing: tables with lines and colours on a terminal, aligned plain text elsewhere, or JSON."""

import json
import math
import re
import sys
from collections.abc import Sequence
from typing import Any

import click

BETWEEN = 2  # characters between two columns on a terminal
FIGURE = re.compile(r"[-+\[]?[.\d]")  # the beginning of a cell that must not be broken: a number, an interval, a vector


def plain(text: str) -> str:
    """Text from a file made safe for a terminal: anything that would move the cursor or hide something is escaped.

    Control characters, those that change the direction of writing, and lone surrogates become escapes.
    """
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


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

    On a terminal that is too narrow, columns named in `spare` are left out, in that order, and text is broken. If that
    does not help, each row is printed as a list. No number is ever cut.
    """
    head, title = [plain(str(name)) for name in head], plain(title)
    columns = [[plain(_text(row[place])) for row in rows] for place in range(len(head))]
    if on_terminal():
        _print_rich(dict(zip(head, columns, strict=True)), title, spare)
        return
    lines = []
    for name, cells in zip(head, columns, strict=True):
        align = str.rjust if _are_numbers(cells) else str.ljust
        width = max(map(len, [name, *cells]))
        lines.append([align(cell, width) for cell in (name, *cells)])
    click.echo("\n".join([title] * bool(title) + ["  ".join(row).rstrip() for row in zip(*lines, strict=True)]))


def _print_rich(columns: dict[str, list[str]], title: str, spare: Sequence[str]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    least = {name: _least_width(name, cells) for name, cells in columns.items()}
    kept = list(columns)
    for left_out in (None, *spare):
        kept = [name for name in kept if name != left_out]
        room = console.width - BETWEEN * (len(kept) - 1) - sum(least[name] for name in kept)
        if room >= 0:
            break
    else:
        _print_lists(columns, title)
        return
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name in kept:
        more = min(room, max(map(len, [name, *columns[name]])) - least[name])
        room -= more
        justify = "right" if _are_numbers(columns[name]) else "left"
        table.add_column(Text(name), justify=justify, width=least[name] + more, overflow="fold")  # type: ignore[arg-type]
    for row in zip(*(columns[name] for name in kept), strict=True):
        table.add_row(*map(Text, row))
    if title:
        console.print(Text(title, style="italic"))
    console.print(table)
    if missing := [name for name in columns if name not in kept]:
        click.echo(f"(Left out to fit the terminal: {', '.join(missing)}; widen it, pipe or use --json to see all.)")


def _least_width(name: str, cells: list[str]) -> int:
    """The width of a column in which no figure and no word is broken."""
    figures = [cell for cell in cells if FIGURE.match(cell)]
    words = [word for cell in (name, *cells) if not FIGURE.match(cell) for word in cell.split()]
    return max(map(len, (*figures, *words)), default=1)


def _print_lists(columns: dict[str, list[str]], title: str) -> None:
    """Each row as a list of names and values, separated by empty lines."""
    longest = max(map(len, columns), default=0)
    click.echo(title, nl=bool(title))
    for row in zip(*columns.values(), strict=True):
        click.echo()
        for name, cell in zip(columns, row, strict=True):
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
    first = " ".join(f"{value:.2f}" for value in vector[:shown])
    return f"[{first}{' …' if len(vector) > shown else ''}] {len(vector)} numbers, norm {math.hypot(*vector):.2f}"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        is_vector = len(value) > 4 and all(isinstance(each, float) for each in value)
        return brief(value) if is_vector else " ".join(_text(each) for each in value)
    return "" if value is None else str(value)


def _are_numbers(cells: list[str]) -> bool:
    try:
        [float(cell or "0") for cell in cells]
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
