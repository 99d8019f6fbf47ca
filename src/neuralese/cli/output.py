"""What is printed: tables with lines and colours on a terminal, aligned plain text elsewhere, or JSON."""

import json
import math
import sys
from collections.abc import Sequence
from typing import Any

import click


def plain(text: str) -> str:
    """A text from a file as a terminal can show it: what would move the cursor or hide something is written out.

    Control characters, those that change the direction of writing, and halves of characters become escapes.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


def print_table(head: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> None:
    """Print rows under their head; columns of numbers are aligned to the right."""
    head, title = [plain(str(name)) for name in head], plain(title)
    cells = [[plain(_text(value)) for value in row] for row in rows]
    right = [all(_is_number(row[place]) for row in cells) for place in range(len(head))]
    if sys.stdout.isatty():
        _print_rich(head, cells, right, title)
        return
    widths = [max(len(name), *(len(row[place]) for row in cells), 0) for place, name in enumerate(head)]
    lines = [title] if title else []
    for row in [head, *cells]:
        columns = zip(row, widths, right, strict=True)
        lines.append("  ".join(cell.rjust(width) if last else cell.ljust(width) for cell, width, last in columns))
    click.echo("\n".join(line.rstrip() for line in lines))


def _print_rich(head: Sequence[str], cells: list[list[str]], right: list[bool], title: str) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left", pad_edge=False)
    for name, numeric in zip(head, right, strict=True):
        table.add_column(Text(name), justify="right" if numeric else "left")
    for row in cells:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)


def print_json(value: Any) -> None:
    """Print JSON; what is no number is null."""
    click.echo(plain_json(value, indent=2))


def plain_json(value: Any, indent: int | None = None) -> str:
    """JSON that a terminal can show: what it could not is escaped, as JSON does it, so that it reads as the same."""
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
