"""Check a config against its JSON schema and say in one sentence what is wrong."""

import math
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import extend

from neuralese.pipeline.given import shape_problem
from neuralese.storage.errors import NeuraleseError
from neuralese.translate import families
from neuralese.translate.criteria import kind_of, kinds, make_criterion

# names that tables give to rows made by no criterion, and to units of translation
TABLE_NAMES = (
    *("none", "shuffled", "constant", "silence", "neuralese", "synthesis", "synthesis-judge", "pragmatic"),
    *("interpreter", "utterance", "phrase", "message"),
)
MOST_MEMBERS = 1000  # maximum size of a family of criteria
README = "see config/README.md for the values allowed."


def _is_number(_: object, value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return whole or (isinstance(value, float) and math.isfinite(value))


def _is_integer(_: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# JSON has no NaN, and does not distinguish 64 from 64.0
Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("number", _is_number).redefine("integer", _is_integer),
)


def problem(config: dict, schema: dict) -> str | None:
    """The first fault in `config`, with what to do about it, or None."""
    if wrong := shape_problem(config):
        return wrong
    errors = sorted(Validator(schema).iter_errors(config), key=lambda error: list(map(str, error.path)))
    return _sentence(errors[0]) if errors else _criteria_problem(config)


def _criteria_problem(config: dict) -> str | None:
    """A fault in the names of criteria, or in references to them."""
    criteria, also = config["criteria"], config["ablation"].get("also", {})
    if taken := [name for name in (*criteria, *also) if name.lower() in TABLE_NAMES]:
        return f"config: '{taken[0]}' has another meaning in the tables; rename that criterion."
    if twice := [name for name in also if name in criteria]:
        return f"config: '{twice[0]}' is both in criteria and in ablation.also; rename one of them."
    for section in ("synthesis", "examples"):
        if (name := config[section]["criterion"]) not in criteria:
            known = ", ".join(criteria)
            return f"config: {section}.criterion is '{name}', which is not a criterion; choose from {known}."
    if not kind_of(criteria[name := config["synthesis"]["criterion"]]).by_meaning:
        return f"config: synthesis.criterion is '{name}', which ignores meanings; choose another one."
    if config["evaluation"]["phrases_heard"] > config["dictionary"]["n_best"]:
        return "config: evaluation.phrases_heard exceeds dictionary.n_best; lower it or raise dictionary.n_best."
    for name, settings in (*criteria.items(), *also.items()):
        if wrong := _criterion_problem(name, settings):
            return f"config: {wrong}"
    return families.problem(criteria)


def _criterion_problem(name: str, settings: Mapping[str, Any]) -> str | None:
    """A fault in one criterion, each of whose values is allowed by itself."""
    if name in kinds() and settings["kind"] != name:
        return f"the criterion '{name}' is of kind '{settings['kind']}'; give it a name that is not another kind's."
    if name in families.ROLES and settings.get("role", name) != name:
        return f"the criterion '{name}' has the role '{settings['role']}'; give it a name that is not another role's."
    lists = [value for value in settings.values() if isinstance(value, list)]
    if math.prod(len(each) for each in lists) > MOST_MEMBERS:
        return f"the criterion '{name}' has more than {MOST_MEMBERS:,} members; shorten its lists."
    try:
        for each in families.members(settings).values():
            make_criterion(each)
    except NeuraleseError as error:
        return f"the criterion '{name}': {error}"
    return None


def _sentence(error: ValidationError) -> str:
    if error.validator == "anyOf":  # a value, or a list of values: whichever was meant
        meant = 1 if isinstance(error.instance, list) else 0
        error = next(each for each in error.context if each.schema_path[0] == meant)
    where = ".".join(map(str, error.absolute_path))
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        return _unknown(error, where)
    if error.validator == "required":
        return f"config: {where or 'the top level'} lacks a key: {error.message}; see config/README.md."
    if error.validator == "pattern" and (form := error.schema.get("$comment")):
        what = f"the name '{error.instance}'" if "propertyNames" in error.schema_path else f"'{error.instance}'"
        return _short(f"config: '{where}' is wrong: {what} should be {form}", README)
    if error.validator == "type" and isinstance(error.instance, float) and error.instance.is_integer():
        return f"config: '{where}' is wrong: write {error.instance} without a decimal point: {int(error.instance)}."
    return _short(f"config: '{where}' is wrong: {error.message}", README)


def _unknown(error: ValidationError, where: str) -> str:
    """The likely intention behind an unknown key."""
    known = list(error.schema.get("properties", {}))
    unknown = next(key for key in error.instance if key not in known)
    section, _, rest = unknown.partition(".")
    if rest and section in known:
        inner = "{" + ": {".join(rest.split(".")) + f": {error.instance[unknown]}" + "}" * (rest.count(".") + 1)
        return _short(f"config: '{unknown}' is not a known key", f"write --config '{section}={inner}'.")
    close = get_close_matches(unknown[:100], known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known keys there are: {', '.join(known)}."
    return _short(f"config: '{where}.{unknown}'".replace("'.", "'") + " is not a known key", hint)


def _short(found: str, advice: str) -> str:
    """One printable sentence, however much a user wrote."""
    text = "".join(character if character.isprintable() else "?" for character in found)
    return f"{text if len(text) < 400 else text[:400] + '…'}; {advice}"
