"""Printing: tables with lines and colours on a terminal, aligned plain text elsewhere, or JSON."""

import json
import math
import re
import sys
from collections.abc import Sequence
from typing import Any

import click

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


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
    """Print rows under their head; columns of numbers are right-aligned.

    On a terminal that is too narrow, text is broken between words, and no number is ever cut.
    """
    columns = [(plain(name), [plain(_text(row[place])) for row in rows]) for place, name in enumerate(head)]
    if on_terminal():
        _print_rich(columns, plain(title))
        return
    aligned = []
    for name, cells in columns:
        width = max(map(len, [name, *cells]))
        aligned.append([cell.rjust(width) if _are_numbers(cells) else cell.ljust(width) for cell in (name, *cells)])
    lines = ["  ".join(row).rstrip() for row in zip(*aligned, strict=True)]
    click.echo("\n".join([plain(title), *lines] if title else lines))


def _print_rich(columns: list[tuple[str, list[str]]], title: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for name, cells in columns:
        figures = [len(cell) for cell in cells if FIGURE.match(cell)]
        justify: Any = "right" if _are_numbers(cells) else "left"
        unbroken: Any = {"no_wrap": True, "min_width": max(figures)} if figures else {}
        table.add_column(Text(name), justify=justify, overflow="fold", **unbroken)
    for row in zip(*(cells for _, cells in columns), strict=True):
        table.add_row(*map(Text, row))
    if title:
        console.print(Text(title, style="italic"))
    console.print(table, crop=False)


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
