"""The JSON schema of dataclasses whose fields are settings (`neuralese.settings`)."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from neuralese.settings import LIMITS, OF_NAMES

NAMES = {int: "integer", float: "number", bool: "boolean", str: "string", NoneType: "null"}


def keys(kind: Any) -> Iterator[tuple[Field, Any]]:
    """The keys of a section, each with its type; a field without a meaning is refused."""
    hints = get_type_hints(kind)
    for field in fields(kind):
        if not field.metadata.get("meaning"):
            raise TypeError(f"{kind.__name__}.{field.name} lacks a meaning; write it as a setting or a section.")
        yield field, hints[field.name]


def default_of(field: Field, section: Any = None) -> Any:
    """The default of a key: as in `section` if given; `MISSING` if the key is required."""
    if section is not None:
        return getattr(section, field.name)
    return field.default if field.default_factory is MISSING else field.default_factory()


def schema(kind: type) -> dict:
    """The schema of a whole config; entries under names of the user's choice are among its definitions."""
    definitions: dict[str, dict] = {}
    made = _section(kind, None, definitions)
    return made | {"$defs": definitions} if definitions else made


def _section(kind: Any, defaults: Any, definitions: dict[str, dict]) -> dict:
    """The schema of a section whose keys have the values of `defaults`, or their own."""
    properties, required = {}, []
    for field, hint in keys(kind):
        made, default = {"description": field.metadata["meaning"]}, default_of(field, defaults)
        if is_dataclass(hint):
            made |= _section(hint, default, definitions)
        else:
            made |= _type(hint, field.metadata["limits"], definitions)
            if default is MISSING:
                required.append(field.name)
            elif default is not None:  # None means that it is left out
                made["default"] = default
        properties[field.name] = made
    needs = {"required": required} if required else {}
    return {"type": "object", "additionalProperties": False, **needs, "properties": properties}


def _type(hint: Any, limits: dict[str, Any], definitions: dict[str, dict]) -> dict:
    """The schema of one value."""
    if is_dataclass(hint):
        name = hint.__name__.lower()  # type: ignore[union-attr]  # it is the class
        if name not in definitions:
            definitions[name] = _section(hint, None, definitions)
        return {"$ref": f"#/$defs/{name}"}
    if get_origin(hint) is dict:
        of_all: dict[str, Any] = {LIMITS[name]: limits[name] for name in limits if name == "fewest"}
        if "names" in limits:
            of_all["propertyNames"] = {"pattern": limits["names"], "$comment": limits["named"]}
        return {"type": "object", **of_all, "additionalProperties": _type(get_args(hint)[1], limits, definitions)}
    if get_origin(hint) is list:
        items = _type(get_args(hint)[0], limits, definitions)
        return {"type": "array", "minItems": 1, "uniqueItems": True, "items": items}
    kinds = get_args(hint) if isinstance(hint, UnionType) else (hint,)
    limited = {LIMITS[name]: value for name, value in limits.items() if name not in ("fewest", *OF_NAMES)}
    if lists := [each for each in kinds if get_origin(each) is list]:  # a value, or a list of values
        return {"anyOf": [_named(kinds, limited), _type(lists[0], limits, definitions)]}
    return _named(kinds, limited)


def _named(kinds: tuple, limited: dict[str, Any]) -> dict:
    """The schema of a plain value; choices imply its type."""
    names = [NAMES[each] for each in kinds if each in NAMES]
    return limited if "enum" in limited else {"type": names if len(names) > 1 else names[0], **limited}
