"""The contents of `corpus.yaml`: which tables a corpus has, what their columns mean, and how it is split.

title: Agents of the erasure study
licence: MIT
messages: {kind: symbols, end: 0}
states:
  shape: {type: category}
  angle: {type: circular, period: 360}
candidates: 2
same: [map]
split: {dev: 0.15, test: 0.25, by: episode}
utterances: {language: en, least: 5}
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.tasks.corpus.faults import shown
from neuralese.tasks.corpus.text_file import control_character
from neuralese.tasks.corpus.yaml_file import read_yaml

FILE = "corpus.yaml"
KINDS = ("symbols", "vector")
TYPES = ("category", "number", "circular", "color", "vector", "image")
MOST_CANDIDATES = 1000
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
LARGEST_SYMBOL = 2**31 - 1


@dataclass(frozen=True)
class MessageSettings:
    """The form of messages."""

    kind: str  # symbols, or vector
    end: int | None = None  # a symbol after which everything is ignored
    vocabulary: int | None = None  # symbols are below this; by default, the symbols that occur
    noise: float | None = None  # standard deviation of a vector's noise; by default, fitted
    names: tuple[str, ...] = ()  # what the symbols 0, 1, ... are called; by default, their numbers


@dataclass(frozen=True)
class ColumnSettings:
    """The type of a column of the states."""

    type: str
    period: float | None = None  # of a circular column


@dataclass(frozen=True)
class SplitSettings:
    """How messages are split, unless the tables say so."""

    dev: float = 0.15
    test: float = 0.25
    by: str | None = None  # episode, or a column of the states: rows with the same value stay together


@dataclass(frozen=True)
class UtteranceSettings:
    """Where phrases come from."""

    language: str = "en"
    least: int = 5  # number of training utterances that must contain a phrase of the inventory
    from_states: bool = False  # phrases are made from the states' columns
    about: tuple[str, ...] = ()  # the columns that people saw, if agents see more; by default, all


@dataclass(frozen=True)
class CorpusSettings:
    """Everything in `corpus.yaml`."""

    title: str
    licence: str
    messages: MessageSettings
    states: dict[str, ColumnSettings]
    candidates: int = 2  # number to draw, if there are no contexts
    same: tuple[str, ...] = ()  # columns that distractors share with the true state
    split: SplitSettings = field(default_factory=SplitSettings)
    utterances: UtteranceSettings | None = None  # by default, those of the table, or from the states if there is none


def read_settings(folder: Path) -> CorpusSettings:
    """Read the settings of a corpus, or say in one sentence which key is wrong."""
    path = folder / FILE
    return settings_from(read_yaml(path), path)


def settings_from(values: dict[str, Any], path: Path) -> CorpusSettings:
    """Check what was read from `path`."""
    top = _Section(path, "", values)
    top.only("title", "licence", "messages", "states", "candidates", "same", "split", "utterances")
    states = _states(top.section("states", "with a line for each column, such as `shape: {type: category}`"))
    return CorpusSettings(
        title=top.text("title", path.parent.resolve().name),
        licence=top.text("licence", "unknown"),
        messages=_messages(top.section("messages", "such as `messages: {kind: symbols}`")),
        states=states,
        candidates=top.integer("candidates", 2, least=2, most=MOST_CANDIDATES),
        same=top.names("same"),
        split=_split(top.section("split")),
        utterances=_utterances(top.section("utterances"), states) if "utterances" in values else None,
    )


def _messages(section: "_Section") -> MessageSettings:
    section.only("kind", "end", "vocabulary", "noise", "names")
    kind = section.choice("kind", KINDS)
    of_another = ("noise",) if kind == "symbols" else ("end", "vocabulary", "names")
    for name in of_another:
        if name in section.values:
            raise section.fault(name, f"has no meaning for messages of kind '{kind}'; remove it")
    vocabulary = section.integer("vocabulary", None, least=1, most=LARGEST_SYMBOL)
    end = section.integer("end", None, least=0, most=LARGEST_SYMBOL)
    if vocabulary is not None and end is not None and end >= vocabulary:
        raise section.fault("end", f"is {end}, but symbols are below the vocabulary's {vocabulary}; raise that")
    names = section.names("names", "symbol", "[a, b]")
    return MessageSettings(kind, end, vocabulary, section.number("noise", None, above=0), names)


def _states(section: "_Section") -> dict[str, ColumnSettings]:
    if not section.values:
        raise section.fault("", "names no column; add a line for each, such as `shape: {type: category}`")
    columns = {}
    for name in section.values:
        column = section.section(name, "such as `{type: category}`")
        column.only("type", "period")
        kind = column.choice("type", TYPES)
        if kind != "circular" and "period" in column.values:
            raise column.fault("period", f"is for circular columns only, and this is a {kind}; remove it")
        if kind == "circular" and "period" not in column.values:
            raise column.fault("period", "is missing; give the period, such as `period: 360`")
        columns[name] = ColumnSettings(kind, column.number("period", None, above=0))
    return columns


def _split(section: "_Section") -> SplitSettings:
    section.only("dev", "test", "by")
    defaults = SplitSettings()
    dev, test = (section.number(name, getattr(defaults, name), above=0, below=1) for name in ("dev", "test"))
    if dev + test >= 1:
        raise section.fault("", f"leaves nothing for training (dev {dev:g}, test {test:g}); lower them")
    return SplitSettings(dev, test, section.text("by", None))


def _utterances(section: "_Section", states: Iterable[str]) -> UtteranceSettings:
    section.only("language", "least", "from", "about")
    from_states = section.choice("from", ("states",), None) is not None
    if from_states and "language" in section.values:
        raise section.fault("language", "is for what people said, but `from: states` makes phrases; remove one of them")
    if from_states and "about" in section.values:
        raise section.fault("about", "is for what people saw, but `from: states` makes phrases; remove one of them")
    about = section.names("about")
    if unknown := [name for name in about if name not in states]:
        raise section.fault(
            "about", f"names {unknown[0]}, which is not under 'states'; name some of {', '.join(states)}"
        )
    least = section.integer("least", 1 if from_states else 5, least=1)
    return UtteranceSettings(section.text("language", "en"), least, from_states, about)


class _Section:
    """A mapping of the file, with its name there."""

    def __init__(self, path: Path, name: str, values: dict[str, Any]) -> None:
        self.path, self.name, self.values = path, name, values

    def fault(self, key: str, what: str) -> NeuraleseError:
        """One sentence about a key, or about the section."""
        named = ".".join(part for part in (self.name, key) if part)
        return NeuraleseError(f"{self.path}: '{named}' {what}.")

    def only(self, *known: str) -> None:
        """Refuse an unknown key."""
        for key in self.values:
            if key not in known:
                close = get_close_matches(key, known, n=1)
                hint = f"did you mean '{close[0]}'?" if close else f"choose from {', '.join(known)}."
                named = f"{self.name}.{key}".lstrip(".")
                raise NeuraleseError(f"{self.path}: '{named}' is not a known key; {hint}")

    def section(self, key: str, example: str | None = None) -> "_Section":
        """A subsection; with an example, it is required."""
        value = self.values.get(key)
        if value is None and example is None:
            value = {}
        if not isinstance(value, dict):
            found = "is missing" if value is None else f"is {shown(value)}"
            raise self.fault(key, f"{found}; write a mapping, {example or 'such as `{key: value}`'}")
        for name in value:
            if character := control_character(name):
                raise self.fault(key, f"has a key with the control character {character}; remove that")
        return _Section(self.path, f"{self.name}.{key}".lstrip("."), value)

    def text(self, key: str, default: str | None) -> Any:
        """Text on one line."""
        value = self.values.get(key, default)
        if value is default:
            return default
        if not isinstance(value, str) or not value.strip():
            raise self.fault(key, f"is {shown(value)}; write text, in quotes if YAML reads it as something else")
        if found := control_character(value):
            raise self.fault(key, f"has the control character {found}; remove it")
        return value.strip()

    def choice(self, key: str, choices: Iterable[str], default: object = ...) -> Any:
        """One of a few names; required if there is no default."""
        value = self.values.get(key, default)
        if value is ...:
            raise self.fault(key, f"is missing; write one of {', '.join(choices)}")
        if key in self.values and value not in choices:
            raise self.fault(key, f"is {shown(value)}; write one of {', '.join(choices)}")
        return value

    def integer(self, key: str, default: int | None, least: int, most: int = 10**9) -> Any:
        """A whole number in a range."""
        value = self.values.get(key, default)
        if key in self.values and (type(value) is not int or not least <= value <= most):
            raise self.fault(key, f"is {shown(value)}; write a whole number from {least} to {most}")
        return value

    def number(self, key: str, default: float | None, above: float, below: float = math.inf) -> Any:
        """A finite number in a range."""
        value: Any = self.values.get(key, default)
        if key not in self.values:
            return value
        if isinstance(value, str) and NUMBER.fullmatch(value):
            value = float(value)  # YAML reads 1e-5 as text
        if not _is_finite(value) or not above < value < below:
            limit = f" and below {below:g}" if below < math.inf else ""
            raise self.fault(key, f"is {shown(value)}; write a number above {above:g}{limit}")
        return float(value)

    def names(self, key: str, of: str = "column", example: str = "[map]") -> tuple[str, ...]:
        """A list of names, each once."""
        value = self.values.get(key, [])
        if not isinstance(value, list) or not all(isinstance(name, str) and name for name in value):
            raise self.fault(key, f"is {shown(value)}; write a list of {of}s, such as {example}")
        if len(set(value)) < len(value):
            raise self.fault(key, f"names a {of} twice: {shown(value)}; name each once")
        return tuple(value)


def _is_finite(value: Any) -> bool:
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # an integer beyond all floating-point numbers
        return False
