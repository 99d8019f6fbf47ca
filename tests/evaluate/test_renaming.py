"""What a user calls a criterion changes no figure: it is known by its role."""

from pathlib import Path

import pandas as pd
import pytest
from comparison_rows import PAPERS, behavior_rows
from small_task import SmallTask

from neuralese.evaluate.belief import evaluate_belief
from neuralese.evaluate.comparison import compare

USUAL = ("belief", "direct", "random")
OTHER = ("mine", "theirs", "dice")
SWAPPED = ("direct", "random", "belief")  # as confusing as can be
SEEDS = 3


def criteria(names: tuple[str, str, str]) -> dict[str, dict]:
    ours, baseline, control = names
    return {
        ours: {"kind": "belief", "role": "ours", "weights": "source", "scale": 2.0, "members": 4},
        baseline: {"kind": "direct", "role": "baseline", "scale": 1.0, "members": 2},
        control: {"kind": "random", "role": "control", "members": 1},
    }


def evaluated(folder: Path, names: tuple[str, str, str]) -> pd.DataFrame:
    """The belief evaluation of a few agents by dictionaries that name criteria so."""
    parts = []
    for seed in range(SEEDS):
        task = SmallTask(seed)
        tables = task.write(folder / f"{seed}", criteria(names))
        conditions = task.translations.by_dictionary(tables["dictionary.parquet"], 1, task.generator)
        conditions += task.translations.by_description(task.describe(folder / f"{seed}"))
        belief = evaluate_belief(task.listeners, task.said, task.speech, conditions, 100, task.generator)
        parts.append(belief.assign(task="colors", seed=seed, data="mirror"))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def usual(tmp_path_factory) -> pd.DataFrame:
    return evaluated(tmp_path_factory.mktemp("usual"), USUAL)


@pytest.mark.parametrize("names", [OTHER, SWAPPED])
def test_renaming_criteria_changes_no_figure(usual, names, tmp_path):
    other = evaluated(tmp_path, names)
    back = dict(zip(names, USUAL, strict=True))
    pd.testing.assert_frame_equal(
        other.assign(criterion=other["criterion"].replace(back)).drop(columns="title"), usual.drop(columns="title")
    )
    tables = [compare(each, behavior_rows(seeds=SEEDS), PAPERS) for each in (usual, other)]
    mine = tables[1]["measure"] == "accuracy"
    tables[1].loc[mine, "criterion"] = tables[1].loc[mine, "criterion"].replace(back)
    pd.testing.assert_frame_equal(tables[1].drop(columns="title"), tables[0].drop(columns="title"))
    assert tables[0]["paper"].notna().sum() > 5
    assert tables[0]["p_holm"].notna().sum() == 2
