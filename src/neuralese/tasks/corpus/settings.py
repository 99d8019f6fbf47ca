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

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, Field, ValidationError, model_validator

from neuralese.config.section import Count, Section, between, key, says
from neuralese.errors import NeuraleseError, reason, shown
from neuralese.tasks.corpus.files import CorpusError, control_character, read_text

FILE = "corpus.yaml"
LARGEST = 100_000  # characters of the file; settings take a few hundred
MOST_SYMBOLS = 2**31 - 1


def _line(text: str) -> str:
    if not text.strip() or control_character(text):
        raise ValueError("should be a line of text without control characters")
    return text.strip()


def _once(names: list[str]) -> list[str]:
    if len(set(names)) < len(names):
        raise ValueError("should name each once")
    return names


Line = Annotated[str, AfterValidator(_line)]
Names = Annotated[list[Annotated[str, Field(min_length=1)]], AfterValidator(_once)]
Share = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[float, Field(gt=0)]


class MessageSettings(Section):
    """The form of messages."""

    kind: Literal["symbols", "vector"] = key(..., "Sequences of symbols, or vectors.")
    end: Annotated[int, between(0, MOST_SYMBOLS)] | None = key(None, "Symbol after which everything is ignored.")
    noise: Positive | None = key(None, "Standard deviation of a vector's noise; fitted if not given.")
    names: Names = key([], "What the symbols 0, 1, ... are called.")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        for name in ("noise",) if self.kind == "symbols" else ("end", "names"):
            if name in self.model_fields_set:
                raise ValueError(f"'{name}' has no meaning for messages of kind '{self.kind}'; remove it")
        return self


class ColumnSettings(Section):
    """The type of a column of the states."""

    type: Literal["category", "number", "circular", "color", "vector", "image"] = key(..., "What the column holds.")
    period: Positive | None = key(None, "Period of a circular column.")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if (self.type == "circular") != (self.period is not None):
            raise ValueError("a circular column needs its period, such as `period: 360`, and no other has one")
        return self


class SplitSettings(Section):
    """How messages are split, unless the tables say so."""

    dev: Share = key(0.15, "Share of the messages on which criteria are chosen.")
    test: Share = key(0.25, "Share of the messages on which results are reported.")
    by: Literal["episode"] | None = key(None, "Whether episodes stay together.")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if self.dev + self.test >= 1:
            raise ValueError(f"nothing is left for training (dev {self.dev:g}, test {self.test:g}); lower them")
        return self


class UtteranceSettings(Section):
    """Where phrases come from."""

    language: Line = key("en", "Language of the utterances.")
    least: Count = key(5, "Number of training utterances that must contain a phrase.")
    source: Literal["states"] | None = key(None, "Make phrases from the states.", alias="from")
    about: Names = key([], "The columns that people saw, if agents see more.")

    @model_validator(mode="before")
    @classmethod
    def _fit(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("from") != "states":
            return given
        for name in ("language", "about"):
            if name in given:
                raise ValueError(f"'{name}' is about people, but `from: states` makes phrases; remove one of them")
        return {"least": 1} | given


class CorpusSettings(Section):
    """Everything in `corpus.yaml`."""

    title: Line = key(..., "Title of the corpus; by default, the name of its folder.")
    licence: Line = key("unknown", "Licence of the data.")
    messages: MessageSettings = key(..., "Form of messages.")
    states: dict[str, ColumnSettings] = key(..., "Columns of the states.", min_length=1)
    candidates: Annotated[int, between(2, 1000)] = key(2, "Number of candidates to draw, if there are no contexts.")
    same: Names = key([], "Columns that distractors share with the true state.")
    split: SplitSettings = key(SplitSettings(), "How messages are split.")
    utterances: UtteranceSettings | None = key(None, "Where phrases come from.")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        about = self.utterances.about if self.utterances else []
        if unknown := [name for name in about if name not in self.states]:
            known = ", ".join(self.states)
            raise ValueError(f"'utterances.about' names {unknown[0]}, which is not under 'states'; choose from {known}")
        return self


SECTIONS: dict[str, type[Section]] = {
    "messages": MessageSettings,
    "states": ColumnSettings,
    "split": SplitSettings,
    "utterances": UtteranceSettings,
}


def read_settings(folder: Path) -> CorpusSettings:
    """Read the settings of a corpus, or say in one sentence for each key what is wrong with it."""
    return settings_from(read_yaml(folder / FILE), folder / FILE)


def settings_from(values: dict[str, Any], path: Path) -> CorpusSettings:
    """Check what was read from `path`."""
    values = {"title": path.parent.resolve().name} | values
    values |= {name: {} for name in ("split", "utterances") if name in values and values[name] is None}
    try:
        return CorpusSettings.model_validate(values)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        unknown = [each for each in faults if each["type"] == "extra_forbidden"]  # slips, which leave others missing
        sentences = dict(map(_sentence, unknown or faults))  # one for each key
        raise CorpusError(path.parent, [f"{path}: {each}" for each in sentences.values()]) from None


def _sentence(error: Any) -> tuple[str, str]:
    """A key at fault, and a sentence about it."""
    place = [part for part in error["loc"] if isinstance(part, str)]  # without positions in lists
    named = ".".join(place)
    if error["type"] == "missing":
        return named, f"'{named}' is missing; add it."
    if error["type"] == "extra_forbidden":
        section = CorpusSettings if len(place) == 1 else SECTIONS[place[0]]
        known = [field.alias or name for name, field in section.model_fields.items()]
        close = get_close_matches(place[-1], known, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"choose from {', '.join(known)}."
        return named, f"'{named}' is not a known key; {hint}"
    if error["type"] == "value_error" and isinstance(error["input"], dict):  # keys that do not go together
        where = f"in '{named}', " if named else ""
        return named, f"{where}{error['ctx']['error']}."
    return named, f"'{named}' is wrong: {says(error)}."


class _Loader(yaml.SafeLoader):
    """Plain values only: no aliases, with which a short file can hold endless data, and no repeated keys."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a node, unless it is an alias."""
        event: Any = self.peek_event()
        if isinstance(event, yaml.AliasEvent):
            why = "has an alias ('*'); write the value out, or quote the text"
            raise NeuraleseError(f"line {event.start_mark.line + 1} {why}.")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Construct a mapping whose keys are different texts."""
        seen = set()
        for each, _ in node.value:
            where = f"line {each.start_mark.line + 1}"
            if each.tag != "tag:yaml.org,2002:str":
                name = shown(each.value) if isinstance(each, yaml.ScalarNode) else "(a list or mapping)"
                raise NeuraleseError(f"{where}: YAML does not read the key {name} as text; put it in quotes.")
            if found := control_character(each.value):
                raise NeuraleseError(f"{where} has a key with the control character {found}; remove that.")
            if each.value in seen:
                again = f"has the key {shown(each.value)} for the second time"
                raise NeuraleseError(f"{where} {again}; remove one of the two.")
            seen.add(each.value)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping that a small untrusted YAML file holds."""
    text = read_text(path)
    if len(text) > LARGEST:
        why = f"is longer than {LARGEST:,} characters; keep settings there, and data in the tables"
        raise NeuraleseError(f"{path} {why}.")
    try:
        value = yaml.load(text, _Loader)
    except NeuraleseError as error:
        raise NeuraleseError(f"{path}, {error}") from None
    except RecursionError:
        raise NeuraleseError(f"{path} is nested too deeply; settings need three levels at most.") from None
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        why = reason(Exception(getattr(error, "problem", None) or error))
        raise NeuraleseError(f"{path}{line} is not YAML ({why}); write keys as `key: value`.") from None
    if not isinstance(value, dict):
        found = "is empty" if value is None else f"holds {shown(value)}"
        raise NeuraleseError(f"{path} {found}, but should have keys such as `messages:` and `states:`; add them.")
    return value
