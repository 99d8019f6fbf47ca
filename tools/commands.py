"""Write docs/commands.md: every command, its options and its examples, as the command line itself declares them.

python tools/commands.py
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from neuralese.cli.main import cli

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
HEAD = """\
# Commands

<!-- made by `python tools/commands.py`; edit the commands in src/neuralese/cli instead -->

Every command of `neuralese` with its options. [The command line](cli.md) shows what they print.
"""


def commands(command: click.Command, parents: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command and all below it, each with the words by which it is called."""
    yield parents, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from commands(command.get_command(context, name), (*parents, name))


def section(words: tuple[str, ...], command: click.Command) -> str:
    """What the page says of one command."""
    context = click.Context(command, info_name=" ".join(words))
    usage = " ".join([" ".join(words), *command.collect_usage_pieces(context)])
    parts = [f"{'#' * len(words)} {' '.join(words)}", f"    {usage}", inspect.cleandoc(command.help or "")]
    rows = [row(option) for option in command.params if isinstance(option, click.Option) and not option.hidden]
    if rows:
        parts.append("\n".join(["| option | meaning | default |", "| --- | --- | --- |", *rows]))
    if command.epilog:
        parts.append("\n".join(f"    {line.strip()}" for line in command.epilog.strip().splitlines()))
    return "\n\n".join(part for part in parts if part)


def row(option: click.Option) -> str:
    """What the page says of one option."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {_value(option)}"
    told, default = _default(option)
    cells = [names + value, told, default]
    return "| " + " | ".join(cell.replace("|", "\\|").strip() for cell in cells) + " |"


def _value(option: click.Option) -> str:
    """What kind of value an option takes."""
    if isinstance(option.type, click.Choice):
        return " or ".join(f"`{each}`" for each in option.type.choices)
    kind = option.metavar or option.type.name.split()[0].upper()
    return kind + (" ..." if option.multiple else "")


def _default(option: click.Option) -> tuple[str, str]:
    """What an option means, and its value if it is left out, which its help may say in words."""
    said, _, words = (option.help or "").partition("  [default: ")
    if words:
        return said, words.rstrip("]")
    variable = f" Or by the variable `{option.envvar}`." if option.envvar else ""
    if option.required:
        return said + variable, "required"
    plain = isinstance(option.default, str | int | float | Path) and not option.is_flag
    return said + variable, f"`{option.default}`" if plain and option.show_default else ""


def page() -> str:
    """The page, in Markdown."""
    found = [section(words, command) for words, command in commands(cli, ("neuralese",)) if len(words) > 1]
    text = "\n\n".join([HEAD.rstrip(), *found]) + "\n"
    return re.sub(r"\|  \|", "| |", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {page().count(chr(10))} lines")
