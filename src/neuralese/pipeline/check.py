"""Check a config against its JSON schema and say in one sentence what is wrong."""

from difflib import get_close_matches
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from neuralese.translate import families

# what tables call rows that no criterion made
TABLE_NAMES = ("none", "shuffled", "constant", "silence", "neuralese", "synthesis", "synthesis-judge", "pragmatic")


def typed(value: Any) -> Any:
    """Turn texts that YAML reads as numbers, booleans or nothing into these.

    Snakemake leaves the members of a list given on its command line (`--config seeds=[0,1]`) as texts.
    """
    if isinstance(value, dict):
        return {key: typed(member) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    if isinstance(value, str):
        read = yaml.safe_load(value) if len(value) < 40 else value
        return read if read is None or isinstance(read, bool | int | float) else value
    return value


def problem(config: dict, schema: dict) -> str | None:
    """The first thing wrong with `config`, with what to do about it, or None."""
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: list(map(str, error.path)))
    return _sentence(errors[0]) if errors else _criteria_problem(config)


def _criteria_problem(config: dict) -> str | None:
    """What is wrong with the names of criteria, and with what refers to them."""
    criteria, also = config["criteria"], config["ablation"].get("also", {})
    if taken := [name for name in (*criteria, *also) if name in TABLE_NAMES]:
        return f"config: '{taken[0]}' has another meaning in the tables; give that criterion another name."
    if twice := [name for name in also if name in criteria]:
        return f"config: '{twice[0]}' is among the criteria and in ablation.also; give one of them another name."
    for section in ("synthesis", "examples"):
        if (name := config[section]["criterion"]) not in criteria:
            known = ", ".join(criteria)
            return f"config: {section}.criterion is '{name}', which no criterion is called; choose from {known}."
    if config["evaluation"]["phrases_heard"] > config["dictionary"]["n_best"]:
        return "config: evaluation.phrases_heard is more than dictionary.n_best keeps; raise dictionary.n_best."
    return families.problem(criteria)


def _sentence(error: ValidationError) -> str:
    if error.validator == "anyOf":  # a value, or a list of values: whichever it was meant to be
        meant = 1 if isinstance(error.instance, list) else 0
        error = next(each for each in error.context if each.schema_path[0] == meant)
    where = ".".join(map(str, error.absolute_path))
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = list(error.schema.get("properties", {}))
        unknown = next(key for key in error.instance if key not in known)
        close = get_close_matches(str(unknown), known, n=1)
        hint = f"did you mean '{close[0]}'?" if close else f"known keys there are: {', '.join(known)}."
        return f"config: '{where}.{unknown}'".replace("'.", "'") + f" is not a known key; {hint}"
    if error.validator == "required":
        return f"config: {where or 'the top level'} lacks a key: {error.message}; see config/README.md."
    return f"config: '{where}' is wrong: {error.message}; see config/README.md for what it may be."
