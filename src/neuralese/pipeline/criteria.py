"""Settings of a criterion, and the criteria of the default experiment."""

from dataclasses import MISSING, Field, field, fields, make_dataclass
from typing import Any, get_type_hints

from neuralese.settings import setting
from neuralese.translate.criteria import kinds
from neuralese.translate.families import ROLES

NAME = "^[A-Za-z][A-Za-z0-9_.+-]{0,39}$"  # of a criterion, which appears in tables, pages and LaTeX
NAMED = "a letter, then letters, digits and _ . + -, at most 40 characters in total"
MEANINGS = {
    "belief": "beliefs (`belief`)",
    "direct": "co-occurrence (`direct`)",
    "pmi": "co-occurrence, divided by the frequency of the translation (`pmi`)",
    "random": "nothing (`random`)",
}


def _options() -> dict[str, tuple[str, Any, Field]]:
    """The options of every kind, as a family takes them: a value, or a list of values."""
    found: dict[str, tuple[str, Any, Field]] = {}
    for kind in kinds().values():
        hints = get_type_hints(kind)
        for each in fields(kind):
            hint = hints[each.name]
            plain: Any = hint if isinstance(hint, type) else hint.__args__[0]
            value: Any = field(default=each.default, metadata=each.metadata)
            found.setdefault(each.name, (each.name, hint | list[plain], value))
    return found


def criterion_section() -> type:
    """The settings of a criterion. Omitted ones are up to its kind, so no default is filled in."""
    known = list(kinds())
    matched = ", ".join(MEANINGS.get(kind, f"`{kind}`") for kind in known)
    options = _options()
    order = ["weights", "divergence", "prior", "scale", "variance", "join", "seed"]
    order += [name for name in options if name not in order]
    return make_dataclass(
        "Criterion",
        [
            ("kind", str, setting(MISSING, f"What is matched: {matched}.", choices=known)),
            (
                "role",
                str | None,
                setting(
                    None,
                    "Its role in the tables: `printed` (Algorithm 1), `released` (the authors' code), "
                    "`ours`, `baseline`, `control`.",
                    choices=list(ROLES),
                    advice="Gains, tests and verdicts go by roles, never by names; no two criteria may share one.",
                ),
            ),
            *(options[name] for name in order),
        ],
        frozen=True,
    )


Criterion: Any = criterion_section()  # a type, made at run time

CRITERIA: dict[str, dict[str, Any]] = {
    "algorithm-1": {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward", "scale": 1.0},
    "released": {
        "kind": "belief",
        "role": "released",
        "weights": "likelihood",
        "divergence": "reverse",
        "variance": 0.5,
        "join": "mean",
    },
    "belief": {
        "kind": "belief",
        "role": "ours",
        "weights": ["source", "sum", "product"],
        "divergence": ["reverse", "forward", "symmetric"],
        "scale": [1.0, 2.0, 4.0, 8.0],
    },
    "direct": {"kind": "direct", "role": "baseline", "scale": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0]},
    "random": {"kind": "random", "role": "control"},
}
ALSO: dict[str, dict[str, Any]] = {
    "pmi": {"kind": "pmi", "scale": [1.0, 2.0, 4.0, 8.0]},
    "jensen-shannon": {"kind": "belief", "weights": "source", "divergence": "jensen-shannon"},
    "frequent": {"kind": "belief", "weights": "source", "divergence": "reverse", "scale": 1.0, "prior": [0.01, 0.1]},
}
