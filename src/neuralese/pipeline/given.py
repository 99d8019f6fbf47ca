"""User input before it is checked: whether it can be processed, and what its strings stand for."""

import re
from typing import Any

MOST_VALUES, DEEPEST = 10_000, 20  # of a config; ours have 300 values, 4 levels deep
WHOLE = re.compile(r"[-+]?\d{1,30}", re.ASCII)
DECIMAL = re.compile(r"[-+]?(\d{1,30}(\.\d{0,30})?|\.\d{1,30})([eE][-+]?\d{1,5})?|[-+]?\.?(inf|Inf|nan|NaN)", re.ASCII)
TRUTH = {"true": True, "True": True, "false": False, "False": False}
NOTHING = ("null", "Null", "None")


def shape_problem(config: Any) -> str | None:
    """What keeps a config from being processed, in one sentence: it is endless, or has names that are not text."""
    values, inside = 0, [(config, 0, "")]
    while inside:
        value, depth, where = inside.pop()
        values += 1
        if values > MOST_VALUES or depth > DEEPEST:
            return f"config: '{where[:60]}' contains itself, or more than any experiment needs; write it out in full."
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, str):
                    return (
                        f"config: {str(key)[:60]} cannot be a name{f' in {where}' if where else ''}; put it in quotes."
                    )
                if not key.isprintable():
                    return f"config: {key[:60]!r} cannot be a name; remove the unprintable characters."
            inside += [(each, depth + 1, f"{where}.{key}".lstrip(".")) for key, each in value.items()]
        elif isinstance(value, list):
            inside += [(each, depth + 1, where) for each in value]
    return None


def typed(value: Any, schema: dict, definitions: dict | None = None) -> Any:
    """Convert strings to numbers, booleans or null where `schema` expects them.

    Snakemake leaves the members of a list given on its command line (`--config seeds=[0,1]`) as strings.
    """
    definitions = schema.get("$defs", {}) if definitions is None else definitions
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    for each in schema.get("anyOf", ()):
        if (each.get("type") == "array") == isinstance(value, list):
            schema = each
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties")
        others = others if isinstance(others, dict) else {}
        return {key: typed(member, known.get(key, others), definitions) for key, member in value.items()}
    if isinstance(value, list):
        return [typed(member, schema.get("items", {}), definitions) for member in value]
    return _read(value, schema) if isinstance(value, str) else value


def _read(text: str, schema: dict) -> Any:
    """A string as one of the wanted types; unchanged if it fits none of them, or if any will do."""
    wanted = schema.get("type", ())
    wanted = {wanted} if isinstance(wanted, str) else set(wanted)
    if {"integer", "number"} & wanted and WHOLE.fullmatch(text):
        return int(text)
    if {"integer", "number"} & wanted and DECIMAL.fullmatch(text):
        return float(text.replace(".inf", "inf").replace(".Inf", "inf").replace(".nan", "nan").replace(".NaN", "nan"))
    if "boolean" in wanted and text in TRUTH:
        return TRUTH[text]
    return None if "null" in wanted and text in NOTHING else text
