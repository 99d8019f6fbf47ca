"""Read a small untrusted YAML file: plain values only, no aliases, no tags, no repeated keys, no deep nesting."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.faults import reason, shown
from neuralese.tasks.corpus.text_file import read_text

LARGEST = 100_000  # bytes; settings take a few hundred
DEEPEST = 6


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a YAML file holds."""
    text = read_text(path)
    if len(text) > LARGEST:
        raise NeuraleseError(
            f"{path} is longer than {LARGEST:,} characters; keep settings there, and data in the tables."
        )
    try:
        _check_events(path, text)
        root = yaml.compose(text, yaml.SafeLoader)
        for node in _nodes(root):
            _check_keys(path, node)
        value = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        why = ascii(error.problem)[1:-1] if error.problem else reason(error)
        raise NeuraleseError(f"{path}{line} is not YAML ({why}); write keys as `key: value`.") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NeuraleseError(f"{path} is not YAML ({reason(error)}); write keys as `key: value`.") from None
    if not isinstance(value, dict):
        found = "is empty" if value is None else f"holds {shown(value)}"
        raise NeuraleseError(f"{path} {found}, but should have keys such as `messages:` and `states:`; add them.")
    return value


def _check_events(path: Path, text: str) -> None:
    """Refuse, before anything is built, what small settings never need and attacks exploit."""
    depth = 0
    for event in yaml.parse(text, yaml.SafeLoader):
        where = f"{path}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise NeuraleseError(
                f"{where} has an anchor or alias ('&' or '*'); write the value out, or quote the text."
            )
        if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None):
            raise NeuraleseError(f"{where} has a tag ({shown(event.tag)}); write plain values without '!'.")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            raise NeuraleseError(f"{where} is nested more than {DEEPEST} levels deep; settings need three at most.")


def _nodes(node: yaml.Node | None) -> Iterator[yaml.Node]:
    if node is None:
        return
    yield node
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _nodes(key)
            yield from _nodes(value)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            yield from _nodes(value)


def _check_keys(path: Path, node: yaml.Node) -> None:
    """Check that every key is a single string, and unique."""
    if not isinstance(node, yaml.MappingNode):
        return
    seen = set()
    for key, _ in node.value:
        where = f"{path}, line {key.start_mark.line + 1}"
        if not isinstance(key, yaml.ScalarNode):
            raise NeuraleseError(f"{where} has a list or mapping as a key; write a word before the colon.")
        if key.tag != "tag:yaml.org,2002:str":
            raise NeuraleseError(f"{where}: YAML does not read the key {shown(key.value)} as text; put it in quotes.")
        if key.value in seen:
            raise NeuraleseError(f"{where} has the key {shown(key.value)} for the second time; remove one of the two.")
        seen.add(key.value)
