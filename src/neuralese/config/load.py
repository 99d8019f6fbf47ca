"""Read a config: check it and fill in every default, or report every fault at once, one sentence each.

model = config_model(tasks.sections(), kinds())
config = load({"seeds": ["0", "1"]}, model)     # strings are what `--config` passes
config.agent.noise                              # 0.3
config.model_dump()                             # plain values
"""

import math
import reprlib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from itertools import product
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from neuralese.config.models import EACH, Config, Family, Role
from neuralese.config.section import says
from neuralese.errors import NeuraleseError

README = "see config/README.md for the values allowed."
MOST_MEMBERS, MOST_POINTS, MOST_FAULTS = 1000, 10_000, 20
# names that tables give to rows made by no criterion, and to units of translation
TABLE_NAMES = (
    *("none", "shuffled", "constant", "silence", "neuralese", "description", "description-shuffled", "pragmatic"),
    *("interpreter", "nonsense", "one-bit", "no-channel", "utterance", "phrase", "message"),
)
FIXED = {  # sections that cannot be swept, and why
    "tasks": "every task of the config is run at every point",
    "seeds": "every seed of the config is run at every point",
    "results": "every point has its own folder already",
    "data": "all points share the raw data; give each source a run with its own 'results'",
    "sweep": "a sweep of sweeps is one sweep with more keys",
    **dict.fromkeys(("corpora", "theory", "examples"), "no result of a point depends on it"),
}
Model = TypeVar("Model", bound=BaseModel)


class ConfigError(NeuraleseError):
    """The faults of a config, one sentence each."""

    def __init__(self, faults: list[str]) -> None:
        self.faults = faults
        more = f"config: there are {len(faults) - MOST_FAULTS} more faults; correct these first."
        super().__init__("\n".join(faults[:MOST_FAULTS] + [more] * (len(faults) > MOST_FAULTS)))


def load(given: Any, model: type[Config]) -> Config:
    """Check what a user wrote against a model from `config_model`."""
    config = check(given, model)
    if faults := [*_conflicts(config)] or [*_sweep_faults(config)]:
        raise ConfigError(faults)
    return config


def check(given: Any, model: type[Model]) -> Model:
    """Check what a user wrote against a model, each value by itself."""
    try:
        return model.model_validate(given)
    except ValidationError as error:
        faults = [_sentence(each, model, given) for each in error.errors(include_url=False)]
        raise ConfigError(list(dict.fromkeys(faults))) from None


def points(sweep: Mapping[str, list]) -> list[dict[str, Any]]:
    """Every combination of the swept values, by dotted key; none if nothing is swept."""
    return [dict(zip(sweep, values, strict=True)) for values in product(*sweep.values())] if sweep else []


def overlay(config: Mapping[str, Any], point: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a plain config with the values of a point in it, and without its sweep; `*` stands for every task."""
    laid = {key: value for key, value in config.items() if key != "sweep"}
    tasks = config.get("games", {})
    each = [
        (path.replace("*", task), value) for path, value in point.items() for task in (tasks if "*" in path else "*")
    ]
    for path, value in each:
        *sections, last = path.split(".")
        inner = laid
        for section in sections:
            below = inner.get(section)
            inner[section] = dict(below) if isinstance(below, dict) else {}
            inner = inner[section]
        inner[last] = value
    return laid


def _conflicts(config: Config) -> Iterator[str]:
    """Faults of values that are allowed one by one, but not together."""
    criteria, also = config.criteria, config.ablation.also
    for name, family in (*criteria.items(), *also.items()):
        if name.lower() in TABLE_NAMES:
            yield f"config: '{name}' has another meaning in the tables; rename that criterion."
        for what, of, others in (("of kind", family.kind, config.kinds), ("of role", family.role, get_args(Role))):
            if name in others and (of or name) != name:
                yield f"config: the criterion '{name}' is {what} '{of}', but has the name of another; rename it."
        if math.prod(len(value) for _, value in family if isinstance(value, list)) > MOST_MEMBERS:
            yield f"config: the criterion '{name}' has more than {MOST_MEMBERS:,} members; shorten its lists."
    yield from (
        f"config: '{name}' is both in criteria and in ablation.also; rename one of them."
        for name in also
        if name in criteria
    )
    roles = [family.role for family in criteria.values() if family.role]
    for role in dict.fromkeys(role for role in roles if roles.count(role) > 1 and role != "baseline"):
        yield f"config: two criteria have the role '{role}'; give it to only one of them."
    if (name := config.examples.criterion) not in criteria:
        found = f"config: examples.criterion is '{name}', which is not a criterion"
        yield _printable(found, f"choose from {', '.join(criteria)}.")
    if config.evaluation.phrases_heard > config.dictionary.n_best:
        yield "config: evaluation.phrases_heard exceeds dictionary.n_best; lower it or raise dictionary.n_best."


def _sweep_faults(config: Config) -> Iterator[str]:
    """Faults in the sweep of an otherwise valid config."""
    if math.prod(map(len, config.sweep.values())) > MOST_POINTS:
        yield f"config: sweep: there are more than {MOST_POINTS:,} combinations; shorten the lists."
        return
    plain, tasks = config.model_dump(), dict(config.games)
    for key, values in config.sweep.items():
        first, *rest = key.split(".")
        task = rest[0] if rest and first in EACH else first
        if why := FIXED.get(first):
            yield f"config: sweep: '{key}' cannot be swept: {why}."
        elif task in tasks and task not in config.tasks:
            yield f"config: sweep: '{key}' cannot be swept: it belongs to a task that is not in 'tasks'; add it there."
        for value in () if why else values:
            try:
                faults = [*_conflicts(check(overlay(plain, {key: value}), type(config)))]
            except ConfigError as error:
                faults = error.faults
            yield from (fault.replace("config:", "config: sweep:", 1) for fault in faults)


def _sentence(error: Mapping[str, Any], model: type[BaseModel], given: Any) -> str:
    """Turn an error of pydantic into a sentence that says what is wrong and what to do."""
    kind, value, loc = error["type"], error["input"], _written(error, given)
    where = ".".join(map(str, loc))
    if kind == "extra_forbidden":
        return _unknown(loc, value, _known(error["loc"], model))
    if kind == "invalid_key" or (error["loc"][-1:] == ("[key]",) and kind == "string_type"):
        inside = ".".join(map(str, loc[:-1]))
        return _printable(f"config: {value} cannot be a name{f' in {inside}' if inside else ''}", "put it in quotes.")
    if kind.startswith("union_tag") and isinstance(value, dict):
        what = f"wrong: there is no kind {reprlib.repr(value['kind'])}" if "kind" in value else "missing"
        return _printable(f"config: '{where}.kind' is {what}", f"choose from {', '.join(getattr(model, 'kinds', ()))}.")
    if kind == "missing":
        return _printable(f"config: '{where}' is missing", README)
    what = f"the name {says(error)}" if error["loc"][-1:] == ("[key]",) else says(error)
    return _printable(f"config: '{where or 'the top level'}' is wrong: {what}", README)


def _written(error: Mapping[str, Any], given: Any) -> list:
    """The place of an error as the user wrote it, without what pydantic inserts to tell alternatives apart."""
    found = []
    for part in error["loc"]:
        if isinstance(given, dict) and (part in given or error["type"] == "missing"):
            found.append(part)
            given = given.get(part)
        elif isinstance(given, list) and isinstance(part, int):
            found.append(part)
            given = given[part]
    return found


def _known(loc: tuple, model: Any) -> list[str]:
    """The keys that are allowed where an error is."""
    if loc[0] in ("criteria", "ablation") and len(loc) > 3:
        return [*Family.model_fields, *model.kinds[loc[-2]].__pydantic_fields__]
    for part in loc[:-1]:
        model = type(model.model_fields[part].default)
    return list(model.model_fields)


def _unknown(loc: list, value: Any, known: list[str]) -> str:
    """A sentence on an unknown key, with what was probably meant."""
    unknown = str(loc[-1])
    section, _, rest = unknown.partition(".")
    if rest and section in known:
        inner = "{" + ": {".join(rest.split(".")) + f": {value!r:.40}" + "}" * (rest.count(".") + 1)
        return _printable(f"config: '{unknown}' is not a known key", f"write --config '{section}={inner}'.")
    close = get_close_matches(unknown[:100], known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known keys there are: {', '.join(known)}."
    return _printable(f"config: '{'.'.join(map(str, loc))}' is not a known key", hint)


def _printable(found: str, advice: str) -> str:
    """One sentence that a terminal can show, however much a user wrote."""
    text = "".join(character if character.isprintable() else "?" for character in found)
    return f"{text if len(text) < 400 else text[:400] + '…'}; {advice}"
