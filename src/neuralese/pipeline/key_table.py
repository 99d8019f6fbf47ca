"""The table of config/README.md: every key, what it means, its default, and how to choose it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, is_dataclass
from typing import Any, get_args, get_origin

from neuralese.pipeline.schema import default_of, keys

HEAD = ["key", "meaning", "default", "how to choose it"]
# the defaults of a section, or of several sections of one kind by the task of each; None means the kind's own
Sections = Mapping[str, Any]


def key_table(kind: type) -> str:
    """The table of a whole config, in Markdown."""
    rows = [HEAD, ["---"] * len(HEAD), *_rows(kind, {"": kind()}, set())]
    return "".join(f"| {' | '.join(cells)} |\n".replace("|  |", "| |").replace("|  |", "| |") for cells in rows)


def _rows(kind: Any, sections: Sections, seen: set[type], inside: str = "") -> Iterator[list[str]]:
    """The rows of a section: its own keys, then its subsections."""
    found = [(field, hint, _user_named(hint)) for field, hint in keys(kind)]
    for field, hint, named in found:
        if not is_dataclass(hint) and (named is None or named in seen):
            yield _row(f"`{field.name}`", field, {label: default_of(field, each) for label, each in sections.items()})
    for field, hint, named in found:
        of = f" of {inside}" if inside else ""
        if is_dataclass(hint):
            parts = {each.name: default_of(each, default_of(field, sections[""])) for each, _ in keys(hint)}
            kinds = {type(part) for part in parts.values()}
            if len(kinds) == 1 and is_dataclass(inner := kinds.pop()):
                yield _row(f"**{field.name}**{of}, for each task", field)
                yield from _rows(inner, parts, seen, field.name)
            else:
                yield _row(f"**{field.name}**{of}", field)
                yield from _rows(hint, {"": default_of(field, sections[""])}, seen, field.name)
        elif named and named not in seen:  # a kind listed before is not listed again
            seen.add(named)
            yield _row(f"**{field.name}**{of}, by a name of your choice", field, {"": default_of(field, sections[""])})
            yield from _rows(named, {"": None}, seen, field.name)


def _user_named(hint: Any) -> Any:
    """The kind of a section that holds any number of entries under names of the user's choice."""
    named = get_args(hint)[1] if get_origin(hint) is dict else None
    return named if is_dataclass(named) else None


def _row(key: str, field: Field, defaults: Mapping[str, Any] | None = None) -> list[str]:
    texts = (field.metadata["meaning"], _shown(defaults or {}), field.metadata["advice"])
    return [key, *(text.replace("|", "\\|") for text in texts)]


def _shown(defaults: Mapping[str, Any]) -> str:
    """One default, or which tasks have which default."""
    tasks: dict[str, list[str]] = {}
    for task, value in defaults.items():
        tasks.setdefault(_text(value), []).append(task)
    if len(tasks) < 2:
        return "".join(tasks)
    return "; ".join(f"{', '.join(having)} {text}" for text, having in tasks.items())


def _text(value: Any) -> str:
    if value is None or value is MISSING or value == {}:
        return ""
    if isinstance(value, dict):
        return "those of `config.yaml`"
    plain = value if isinstance(value, str) else json.dumps(value).replace('"', "")
    return f"`{plain}`"
