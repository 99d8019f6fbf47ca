"""The member of each family that translates: chosen on dev, per task and direction, by one rule for all families.

The rule: the member with the highest accuracy on dev, averaged over seeds; ties go to the first that the config names.
Into neuralese, whole utterances are translated.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from neuralese.storage.tables import read_table
from neuralese.translate.families import DIRECTIONS, members

SPEAKERS = {"R": "R->H", "H": "H->R"}  # whose messages are translated


def choose(ablation: pd.DataFrame, criteria: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The chosen member of every criterion of the config and direction, and why: the columns of `criteria.parquet`.

    `ablation` holds the accuracy of every member, in all seeds of one task.
    """
    dev = ablation[ablation["split"] == "dev"].assign(direction=lambda rows: rows["speaker"].map(SPEAKERS))
    rows = []
    for direction in DIRECTIONS:
        cells = dev[dev["direction"] == direction]
        for name, settings in criteria.items():
            family = members(settings)
            means = cells[cells["family"] == name].groupby("criterion")["value"].mean()
            # a random criterion has no rows, and is the only member of its family
            ranked = means.reindex(list(family)).sort_values(ascending=False, kind="stable")
            second = ranked.index[1] if len(ranked) > 1 else ""
            rows.append(
                {
                    "task": ablation["task"].iloc[0],
                    "direction": direction,
                    "criterion": name,
                    "member": ranked.index[0],
                    "settings": json.dumps(family[ranked.index[0]] | {"members": len(family)}),
                    "members": len(family),
                    "accuracy": ranked.iloc[0],
                    "second": second,
                    "second_accuracy": ranked.iloc[1] if second else float("nan"),
                    "seeds": cells["seed"].nunique(),
                }
            )
    return pd.DataFrame(rows)


def mark_chosen(ablation: pd.DataFrame, criteria: pd.DataFrame) -> pd.DataFrame:
    """The ablation with a column `chosen`: whether a row belongs to the chosen member of its family."""
    keys = criteria[["task", "direction", "criterion", "member"]].itertuples(index=False, name=None)
    rows = (ablation["task"], ablation["speaker"].map(SPEAKERS), ablation["family"], ablation["criterion"])
    known = set(keys)
    return ablation.assign(chosen=[row in known for row in zip(*rows, strict=True)])


def chosen_criteria(path: str | Path) -> dict[str, dict[str, dict]]:
    """The settings of the chosen members in `criteria.parquet`, by direction and name."""
    table = read_table(path, "criteria").to_pylist()
    return {
        direction: {row["criterion"]: json.loads(row["settings"]) for row in table if row["direction"] == direction}
        for direction in DIRECTIONS
    }
