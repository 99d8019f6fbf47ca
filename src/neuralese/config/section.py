"""Sections and keys: what the models of a configuration are made of.

class CellConfig(Section):
    '''The cell and the channel.'''

    hidden: Units = key(256, "Number of units of the MLP and of the GRU.", "256 is the paper's.")

The type of a key has its limits; `key` gives its default, its meaning, and how to choose it. The docstring of a section
is its meaning.
"""

import re
import reprlib
from collections.abc import Mapping
from contextlib import suppress
from types import NoneType
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo, field_validator

MOST = 10**9  # maximum of a number: no experiment needs more, and many computations would overflow
MANY = 1000  # maximum length of a list
RULES = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, validate_default=True)
WORDS: dict[type, dict[str, Any]] = {
    bool: {"true": True, "True": True, "false": False, "False": False},
    NoneType: dict.fromkeys(("null", "Null", "None")),
}
SAYS = {  # types of errors whose own words are for programmers
    **dict.fromkeys(("model_type", "dict_type", "union_tag_not_found"), "should be a section with keys of its own"),
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "finite_number": "should be a finite number",
    "bool_type": "should be true or false",
    "string_type": "should be text",
    "list_type": "should be a list",
    "too_short": "should not be empty",
}


def key(default: Any, meaning: str, advice: str = "", **limits: Any) -> Any:
    """A key with a plain value; `limits` are keyword arguments of `pydantic.Field`, such as `gt=0`."""
    return Field(default, description=meaning, json_schema_extra={"advice": advice}, **limits)


def between(least: float, most: float) -> Any:
    """The limits of a number: `Annotated[int, between(1, 20)]`."""
    return Field(ge=least, le=most)


def matching(pattern: str, form: str) -> Any:
    """The form of a text, as a pattern and in words."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"should be {form}")
        return text

    return AfterValidator(check)


def _distinct(values: list) -> list:
    if len({(type(each), each) for each in values}) < len(values):
        raise ValueError("should not have the same value twice")
    return values


SEVERAL = (Field(min_length=1, max_length=MANY), AfterValidator(_distinct))  # of a list

Count = Annotated[int, between(1, MOST)]
Games = Annotated[int, between(2, MOST)]
Units = Annotated[int, between(1, 10_000)]  # of a layer
Batch = Annotated[int, between(1, 1_000_000)]
Items = Annotated[int, between(10, 1_000_000)]  # messages, or contexts
Seed = Annotated[int, between(0, 2**31 - 1)]
Rate = Annotated[float, Field(gt=0, le=10)]  # of learning
Share = Annotated[float, between(0, 1)]
Width = Annotated[float, between(0.001, 1_000_000)]
# braces are wildcards to Snakemake, and ~ is not expanded
FOLDER = matching(
    r"(?!~)[^\x00-\x1f\x7f{}]*[^/\x00-\x1f\x7f{}]", "a folder written out in full, without ~, braces or a trailing /"
)
Folder = Annotated[str, FOLDER]
# of a criterion, which appears in tables, pages and LaTeX
Name = Annotated[str, matching(r"[A-Za-z][A-Za-z0-9_.+-]{0,39}", "at most 40 letters, digits and _.+-, a letter first")]


class Section(BaseModel):
    """A part of a configuration, which refuses unknown keys, NaN and values of another type."""

    model_config = RULES | {"frozen": True}

    @field_validator("*", mode="before")
    @classmethod
    def _as_meant(cls, value: Any, info: ValidationInfo) -> Any:
        """Parse strings as the type of the key; what is left out of a section keeps the default that it has here."""
        field = cls.model_fields[str(info.field_name)]
        if isinstance(field.default, Section) and isinstance(value, dict):
            return laid_over(field.default, value)
        return parsed(value, plain_types(field.annotation))


def laid_over(section: Section, values: Mapping[Any, Any]) -> dict:
    """The values that were set in a section, overridden by other values."""
    laid = {name: getattr(section, name) for name in section.model_fields_set}
    for name, value in values.items():
        inner = laid.get(name)
        laid[name] = laid_over(inner, value) if isinstance(inner, Section) and isinstance(value, dict) else value
    return laid


def parsed(value: Any, wanted: set[type]) -> Any:
    """Parse the strings in a value as one of the wanted types, if they can be.

    Snakemake leaves values inside a list or section given on its command line (`--config seeds=[0,1]`) as strings.
    """
    if isinstance(value, dict):
        return {name: each if isinstance(each, dict) else parsed(each, wanted) for name, each in value.items()}
    if isinstance(value, list):
        return [parsed(each, wanted) if isinstance(each, str) else each for each in value]
    if not isinstance(value, str):
        return value
    for number in (int, float) if {int, float} & wanted else ():
        with suppress(ValueError):
            return number(value)
    return next((words[value] for kind, words in WORDS.items() if kind in wanted and value in words), value)


def plain_types(hint: Any) -> set[type]:
    """The plain types that a type is made of."""
    if inner := get_args(hint):
        return set().union(*map(plain_types, inner))
    return {hint if isinstance(hint, type) else type(hint)}


def says(error: Mapping[str, Any]) -> str:
    """Say in plain words what pydantic finds wrong with a value."""
    words = SAYS.get(error["type"]) or error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    return f"{reprlib.repr(error['input'])} {words}"
