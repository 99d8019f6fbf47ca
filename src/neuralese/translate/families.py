"""Criteria as written in a config: a value that is a list makes a family, from which dev chooses a member.

    belief: { kind: belief, role: ours, weights: [source, sum], divergence: reverse, scale: [1, 2] }    # four members

A criterion's *role* says what it is for, whatever a user calls it; `neuralese.evaluate.outcomes` explains all roles.

The member of each family that translates is chosen on dev, per task and direction, by one rule for all families: the
highest accuracy, averaged over judges and over the other seeds, or over the only one; ties go to the first that the
config names. So with several seeds nothing is chosen by what it is evaluated on.
"""

import json
import math
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.errors import NeuraleseError

if TYPE_CHECKING:
    import pandas as pd

ROLES = {
    "printed": "Algorithm 1 (as printed)",
    "released": "released code",
    "ours": "{name} (ours{chosen})",
    "baseline": "{name} (baseline{chosen})",
    "control": "{name} (control)",
}
# among a criterion's settings; all others are options of its kind
NOT_OPTIONS = ("kind", "role", "members", "dev")
# options in the order in which labels list them; others come after
LABELLED = ("exponent", "prior", "truth", "join", "seed")
DIRECTIONS = ("R->H", "H->R")
SPEAKERS = {"R": "R->H", "H": "H->R"}  # whose messages are translated


def members(settings: Mapping[str, Any]) -> dict[str, dict]:
    """The members of a family by name, in the order of the lists' combinations."""
    lists = {key: value if isinstance(value, list) else [value] for key, value in settings.items()}
    combined = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    return {label(each): each for each in combined}


def label(settings: Mapping[str, Any]) -> str:
    """The label of a criterion with these settings in comparisons of many, such as `belief source reverse x2`."""
    words = [str(settings[key]) for key in ("kind", "weights", "divergence") if key in settings]
    if settings["kind"] != "random":
        variance = settings.get("variance")
        words.append(f"x{settings.get('scale', 1.0):g}" if variance is None else f"variance {variance:g}")
    others = [key for key in options(settings) if key not in ("weights", "divergence", "scale", "variance")]
    others.sort(key=lambda key: LABELLED.index(key) if key in LABELLED else len(LABELLED))
    return " ".join([*words, *(f"{key} {settings[key]}" for key in others)])


def options(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a criterion's kind."""
    return {name: value for name, value in settings.items() if name not in NOT_OPTIONS}


def title(name: str, settings: Mapping[str, Any]) -> str:
    """The label of a criterion of the config in tables."""
    chosen = ", chosen on dev" if settings.get("members", len(members(settings))) > 1 else ""
    return ROLES.get(settings.get("role", ""), "{name}").format(name=name, chosen=chosen)


def with_role(criteria: Mapping[str, Mapping[str, Any]], role: str) -> str | None:
    """The name of the criterion with a role, if any has it."""
    return next((name for name, settings in criteria.items() if settings.get("role") == role), None)


def named(criteria: Mapping[str, Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """The settings of a criterion, which must exist."""
    if name not in criteria:
        raise NeuraleseError(f"there is no criterion '{name}'; choose from {', '.join(criteria)}.")
    return criteria[name]


def choose(ablation: "pd.DataFrame", criteria: Mapping[str, Mapping[str, Any]]) -> "pd.DataFrame":
    """The chosen member of every criterion of the config, seed and direction: the columns of `criteria.parquet`.

    `ablation` holds the accuracy of every member by every judge, in all seeds of one task.
    """
    import pandas as pd

    dev = ablation[ablation["split"] == "dev"].assign(direction=lambda rows: rows["speaker"].map(SPEAKERS))
    seeds = sorted(dev["seed"].unique())
    rows = []
    for seed, direction in product(seeds, DIRECTIONS):
        cells = dev[(dev["direction"] == direction) & ((dev["seed"] != seed) | (len(seeds) == 1))]
        for name, settings in criteria.items():
            family = members(settings)
            means = cells[cells["family"] == name].groupby("criterion")["value"].mean()
            # a random criterion has no rows, and is the only member of its family
            ranked = means.reindex(list(family)).sort_values(ascending=False, kind="stable")
            second, accuracy = ranked.index[1] if len(ranked) > 1 else "", ranked.iloc[0]
            known = {"members": len(family)} | ({} if math.isnan(accuracy) else {"dev": float(accuracy)})
            rows.append(
                {
                    "task": ablation["task"].iloc[0],
                    "seed": seed,
                    "direction": direction,
                    "criterion": name,
                    "member": ranked.index[0],
                    "settings": json.dumps(family[ranked.index[0]] | known),
                    "members": len(family),
                    "accuracy": accuracy,
                    "second": second,
                    "second_accuracy": ranked.iloc[1] if second else math.nan,
                    "seeds": cells["seed"].nunique(),
                }
            )
    return pd.DataFrame(rows)


def mark_chosen(ablation: "pd.DataFrame", criteria: "pd.DataFrame") -> "pd.DataFrame":
    """The ablation with a column `chosen`: whether a row belongs to the chosen member of its family."""
    keys = ["task", "seed", "direction", "criterion", "member"]
    known = set(criteria[keys].itertuples(index=False, name=None))
    named = (ablation["task"], ablation["seed"], ablation["speaker"].map(SPEAKERS))
    rows = zip(*named, ablation["family"], ablation["criterion"], strict=True)
    return ablation.assign(chosen=[row in known for row in rows])


def chosen_criteria(path: str | Path, seed: int) -> dict[str, dict[str, dict]]:
    """The settings of the chosen members in `criteria.parquet` for a seed, by direction and name."""
    from neuralese.storage.tables import read_table

    table = [row for row in read_table(path, "criteria").to_pylist() if row["seed"] == seed]
    return {
        direction: {row["criterion"]: json.loads(row["settings"]) for row in table if row["direction"] == direction}
        for direction in DIRECTIONS
    }
