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

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import AfterValidator, Field, ValidationError, model_validator

from neuralese.config.section import MOST, Section, key
from neuralese.errors import NeuraleseError, reason, shown
from neuralese.tasks.corpus.files import CorpusError, control_character, read_text

FILE = "corpus.yaml"
LARGEST = 100_000  # characters of the file; settings take a few hundred
MOST_SYMBOLS = 2**31 - 1
AS_TEXT = "text, in quotes if YAML reads it as something else"
ABOVE_ZERO, A_SHARE = "a number above 0", "a number above 0 and below 1"
COLUMNS = "a list of columns, such as [map]"


def _line(text: str) -> str:
    if not text.strip():
        raise ValueError(f"is {shown(text)}; write {AS_TEXT}")
    if found := control_character(text):
        raise ValueError(f"has the control character {found}; remove it")
    return text.strip()


def _once(names: list[str]) -> list[str]:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"names {name} twice: {shown(names)}; name each once")
    return names


Line = Annotated[str, AfterValidator(_line)]
Names = Annotated[list[Annotated[str, Field(min_length=1)]], AfterValidator(_once)]
Share = Annotated[float, Field(gt=0, lt=1)]
Positive = Annotated[float, Field(gt=0)]


def whole_number(default: Any, meaning: str, least: int, most: int) -> Any:
    """A key whose value is a whole number within limits."""
    return key(default, meaning, f"a whole number from {least} to {most}", ge=least, le=most)


class MessageSettings(Section):
    """The form of messages."""

    kind: Literal["symbols", "vector"] = key(..., "Sequences of symbols, or vectors.", "one of symbols, vector")
    end: int | None = whole_number(None, "Symbol after which everything is ignored.", 0, MOST_SYMBOLS)
    vocabulary: int | None = whole_number(None, "Symbols are below this, if it is given.", 1, MOST_SYMBOLS)
    noise: Positive | None = key(None, "Standard deviation of a vector's noise; fitted if not given.", ABOVE_ZERO)
    names: Names = key([], "What the symbols 0, 1, ... are called.", "a list of symbols, such as [a, b]")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        for name in ("noise",) if self.kind == "symbols" else ("end", "vocabulary", "names"):
            if name in self.model_fields_set:
                raise ValueError(f"{name}| has no meaning for messages of kind '{self.kind}'; remove it")
        if self.vocabulary is not None and self.end is not None and self.end >= self.vocabulary:
            below = f"symbols are below the vocabulary's {self.vocabulary}"
            raise ValueError(f"end| is {self.end}, but {below}; raise that")
        return self


class ColumnSettings(Section):
    """The type of a column of the states."""

    type: Literal["category", "number", "circular", "color", "vector", "image"] = key(
        ..., "What the column holds.", "one of category, number, circular, color, vector, image"
    )
    period: Positive | None = key(None, "Period of a circular column.", ABOVE_ZERO)

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if self.type != "circular" and self.period is not None:
            raise ValueError(f"period| is for circular columns only, and this is a {self.type}; remove it")
        if self.type == "circular" and self.period is None:
            raise ValueError("period| is missing; give the period, such as `period: 360`")
        return self


class SplitSettings(Section):
    """How messages are split, unless the tables say so."""

    dev: Share = key(0.15, "Share of the messages on which criteria are chosen.", A_SHARE)
    test: Share = key(0.25, "Share of the messages on which results are reported.", A_SHARE)
    by: Line | None = key(None, "`episode`, or a column of the states, whose values stay together.", AS_TEXT)

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if self.dev + self.test >= 1:
            raise ValueError(f"leaves nothing for training (dev {self.dev:g}, test {self.test:g}); lower them")
        return self


class UtteranceSettings(Section):
    """Where phrases come from."""

    language: Line = key("en", "Language of the utterances.", AS_TEXT)
    least: int = whole_number(5, "Number of training utterances that must contain a phrase.", 1, MOST)
    source: Literal["states"] | None = key(None, "Make phrases from the states.", "one of states", alias="from")
    about: Names = key([], "The columns that people saw, if agents see more.", COLUMNS)

    @model_validator(mode="before")
    @classmethod
    def _fit(cls, given: Any) -> Any:
        if not isinstance(given, dict) or given.get("from") != "states":
            return given
        for name, what in {"language": "said", "about": "saw"}.items():
            if name in given:
                why = f"is for what people {what}, but `from: states` makes phrases; remove one of them"
                raise ValueError(f"{name}| {why}")
        return {"least": 1} | given


class CorpusSettings(Section):
    """Everything in `corpus.yaml`."""

    title: Line = key(..., "Title of the corpus; by default, the name of its folder.", AS_TEXT)
    licence: Line = key("unknown", "Licence of the data.", AS_TEXT)
    messages: MessageSettings = key(..., "Form of messages.", "a mapping, such as `messages: {kind: symbols}`")
    states: dict[str, ColumnSettings] = key(
        ..., "Columns of the states.", "a mapping, with a line for each column, such as `shape: {type: category}`"
    )
    candidates: int = whole_number(2, "Number of candidates to draw, if there are no contexts.", 2, 1000)
    same: Names = key([], "Columns that distractors share with the true state.", COLUMNS)
    split: SplitSettings = key(SplitSettings(), "How messages are split.", "a mapping, such as `{key: value}`")
    utterances: UtteranceSettings | None = key(None, "Where phrases come from.", "a mapping, such as `{key: value}`")

    @model_validator(mode="after")
    def _fit(self) -> Self:
        if not self.states:
            raise ValueError("states| names no column; add a line for each, such as `shape: {type: category}`")
        about = self.utterances.about if self.utterances else []
        if unknown := [name for name in about if name not in self.states]:
            why = f"names {unknown[0]}, which is not under 'states'; name some of {', '.join(self.states)}"
            raise ValueError(f"utterances.about| {why}")
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
        raise CorpusError(path.parent, [f"{path}: {each}" for each in _sentences(error)]) from None


def _sentences(error: ValidationError) -> Iterator[str]:
    """One sentence for each key at fault; what is missing beside an unknown key, which may be a slip, is left out."""
    found = error.errors(include_url=False)
    unknown = [each for each in found if each["type"] == "extra_forbidden"]
    beside = {each["loc"][:-1] for each in unknown}
    seen = set()
    for each in unknown + [each for each in found if each not in unknown]:
        place, what = tuple(part for part in each["loc"] if isinstance(part, str)), ""  # not positions in lists
        if each["type"] == "missing" and place[:-1] in beside:
            continue
        if each["type"] == "value_error":  # one of those above: "key| what", or "what"
            inner, _, what = str(each["ctx"]["error"]).rpartition("|")
            place += (inner,) if inner else ()
        named, what = ".".join(place), what.strip() or _what(each, place)
        if named not in seen:
            seen.add(named)
            yield f"'{named}' {what}" + ("" if what.endswith("?") else ".")


def _what(error: Any, place: tuple[str, ...]) -> str:
    """What is wrong with the key at a place, and what to write there."""
    section = CorpusSettings if len(place) == 1 else SECTIONS[place[0]]
    keys = {field.alias or name: field for name, field in section.model_fields.items()}
    if error["type"] == "extra_forbidden":
        close = get_close_matches(place[-1], keys, n=1)
        return "is not a known key; " + (f"did you mean '{close[0]}'?" if close else f"choose from {', '.join(keys)}")
    found = f"holds {shown(error['input'])}" if isinstance(error["loc"][-1], int) else f"is {shown(error['input'])}"
    found = "is missing" if error["type"] == "missing" else found
    if len(place) == 2 and place[0] == "states":
        return f"{found}; write a mapping, such as `{{type: category}}`"
    extra: Any = keys[place[-1]].json_schema_extra
    return f"{found}; write {extra['advice']}"


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
