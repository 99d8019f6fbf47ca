"""How a config's keys are written down: once, as fields of dataclasses.

@dataclass(frozen=True)
class CellConfig:
    hidden: int = setting(256, "Units of the MLP and of the GRU.", least=1, advice="256 is the paper's.")

What a key means, what it is if it is left out, which values it may have and how to choose one stand there alone; the
schema and the table of config/README.md are made of it (`neuralese.pipeline.config`).
"""

from copy import deepcopy
from dataclasses import field
from typing import Any

# what a value may be limited by, as a JSON schema calls it
LIMITS = {
    "least": "minimum",
    "above": "exclusiveMinimum",
    "most": "maximum",
    "below": "exclusiveMaximum",
    "choices": "enum",
    "pattern": "pattern",
    "shortest": "minLength",
    "fewest": "minProperties",
    "form": "$comment",  # what a pattern wants, in words
}
OF_NAMES = ("names", "named")  # pattern of the names in a section of the user's own, and what it wants, in words
MOST = 10**9  # of a number that says no other most: no experiment needs more, and much that is computed would overflow


def setting(default: Any, meaning: str, *, advice: str = "", **limits: Any) -> Any:
    """A field of a dataclass that is a key of the config; `limits` are of a value, or of each member of a list."""
    if unknown := set(limits) - {*LIMITS, *OF_NAMES}:
        raise TypeError(f"a setting has no limit '{unknown.pop()}'; it has {', '.join(LIMITS)}.")
    if isinstance(default, int | float) and not isinstance(default, bool) and not {"most", "below"} & set(limits):
        limits["most"] = MOST
    metadata = {"meaning": meaning, "advice": advice, "limits": limits}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: deepcopy(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def section(kind: type, meaning: str, *, advice: str = "", **values: Any) -> Any:
    """A field that is a section of the config: the dataclass `kind`, whose defaults here are `values`, or its own."""
    return field(default_factory=lambda: kind(**values), metadata={"meaning": meaning, "advice": advice, "limits": {}})
