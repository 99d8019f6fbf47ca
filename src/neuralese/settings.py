"""How a config's keys are defined: once, as fields of dataclasses.

@dataclass(frozen=True)
class CellConfig:
    hidden: int = setting(256, "Units of the MLP and of the GRU.", least=1, advice="256 is the paper's.")

The meaning of a key, its default, the values allowed and how to choose one are defined only there; the schema and
the table of config/README.md are generated from it (`neuralese.pipeline.config`).
"""

from copy import deepcopy
from dataclasses import field
from typing import Any

# limits of a value, by their names in a JSON schema
LIMITS = {
    "least": "minimum",
    "above": "exclusiveMinimum",
    "most": "maximum",
    "below": "exclusiveMaximum",
    "choices": "enum",
    "pattern": "pattern",
    "shortest": "minLength",
    "fewest": "minProperties",
    "form": "$comment",  # the pattern in words
}
OF_NAMES = ("names", "named")  # pattern of the names in a section with user-chosen names, and the same in words
MOST = 10**9  # default maximum of a number: no experiment needs more, and many computations would overflow


def setting(default: Any, meaning: str, *, advice: str = "", **limits: Any) -> Any:
    """A field of a dataclass that is a key of the config; `limits` apply to a value, or to each member of a list."""
    if unknown := set(limits) - {*LIMITS, *OF_NAMES}:
        raise TypeError(f"a setting has no limit '{unknown.pop()}'; choose from {', '.join(LIMITS)}.")
    if isinstance(default, int | float) and not isinstance(default, bool) and not {"most", "below"} & set(limits):
        limits["most"] = MOST
    metadata = {"meaning": meaning, "advice": advice, "limits": limits}
    if isinstance(default, list | dict):
        return field(default_factory=lambda: deepcopy(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def section(kind: type, meaning: str, *, advice: str = "", **values: Any) -> Any:
    """A field that is a section of the config: the dataclass `kind`, whose defaults here are `values`, or its own."""
    return field(default_factory=lambda: kind(**values), metadata={"meaning": meaning, "advice": advice, "limits": {}})
