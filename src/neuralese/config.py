"""Check a config against its JSON schema and say in one sentence what is wrong."""

from difflib import get_close_matches
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError


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
    return _sentence(errors[0]) if errors else None


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
