"""Rows of every evaluation: gains and shares of the same items, and what may be averaged over seeds."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from neuralese.evaluate.outcomes import Condition, Outcome, conditions_of, outcome_table, over_seeds, share_kept
from neuralese.evaluate.statistics import bootstrap_interval, over_seeds_test, paired_test

SHARES = {"share": "silence", "content": "shuffled"}
CONDITIONS = {
    "neuralese": ("native", 1.0),
    "silence": ("silence", 0.5),
    "shuffled": ("control", 0.55),
    "theirs": ("baseline", 0.6),
    "others": ("baseline", 0.7),
    "mine": ("ours", 0.9),
}


def outcomes(seed: int = 0, **cell: str) -> list[Outcome]:
    random = np.random.default_rng(seed)
    found = []
    for name, (role, share) in CONDITIONS.items():
        values = {"accuracy": (random.random(200) < share).astype(float), "reward": random.random(200)}
        condition = Condition(name, name.upper(), role, facts={"kind": role})
        found.append(Outcome(condition, cell, values, np.arange(200) // 2, {"understood": share}))
    return found


def table(seed: int = 0, **cell: str) -> pd.DataFrame:
    rows = outcome_table(outcomes(seed, **cell), np.random.default_rng(seed), shares=SHARES, resamples=100)
    return rows.assign(task="small", seed=seed)


def test_a_row_has_the_mean_its_interval_the_gains_and_the_facts():
    found, values = table(listener="R"), {each.condition.name: each.values["accuracy"] for each in outcomes()}
    assert len(found) == 12
    mine = found[found["measure"] == "accuracy"].set_index("criterion").loc["mine"]
    groups, random = np.arange(200) // 2, np.random.default_rng(0)
    assert mine[["title", "role", "kind", "listener"]].tolist() == ["MINE", "ours", "ours", "R"]
    assert mine[["n", "groups", "understood"]].tolist() == [200, 100, 0.9]
    first = found.iloc[0]
    assert (first["ci_low"], first["ci_high"]) == bootstrap_interval(values["neuralese"], random, 100, groups)
    over = mine[["over_baseline", "over_baseline_error", "over_baseline_p"]].tolist()
    assert over == list(paired_test(values["mine"], values["others"], groups))  # the better of two baselines


def test_the_baseline_is_the_one_that_did_best_on_dev_where_that_is_known():
    chosen = {"theirs": 0.8, "others": 0.7}
    found = [
        replace(each, condition=replace(each.condition, facts={"dev": chosen.get(each.condition.name, np.nan)}))
        for each in outcomes()
    ]
    rows = outcome_table(found, np.random.default_rng(0), resamples=10, measures=["accuracy"]).set_index("criterion")
    assert rows.loc["mine", "over_baseline"] == rows.loc["mine", "value"] - rows.loc["theirs", "value"]


def test_gains_and_shares_are_missing_where_there_is_nothing_to_compare_with():
    found = table()
    assert found.loc[found["role"] == "baseline", "over_baseline"].isna().all()
    assert found.loc[found["role"] == "control", "over_control"].isna().all()
    apart = [Outcome(each.condition, {"pair": each.condition.name}, each.values) for each in outcomes()]
    alone = outcome_table(apart, np.random.default_rng(0), shares=SHARES, resamples=10)
    assert alone[["over_baseline", "over_control_p", "share", "content"]].isna().all(axis=None)


def test_a_share_is_of_what_communication_is_worth():
    random = np.random.default_rng(0)
    native, silence = np.ones(400), np.tile([0.0, 1.0], 200)
    half = np.where(np.arange(400) % 4 == 0, 0.0, 1.0)  # of the 200 that silence loses, 100 are won
    found = share_kept(half, silence, native, random, 500)
    assert found[0] == pytest.approx(0.5)
    assert found[1] < 0.5 < found[2]
    assert share_kept(silence, silence, native, random, 500)[0] == 0
    assert share_kept(native, silence, native, random, 500)[0] == 1
    assert np.isnan(share_kept(half, native, native, random, 500)).all()  # nothing to be won


def test_a_condition_for_each_criterion_and_no_unknown_roles():
    criteria = {"mine": {"kind": "belief", "role": "ours"}, "plain": {"kind": "pmi"}}
    found = conditions_of(criteria, lambda name, settings: settings["kind"])
    assert [(each.name, each.title, each.role, each.heard) for each in found] == [
        ("mine", "mine (ours)", "ours", "belief"),
        ("plain", "plain", "", "pmi"),
    ]
    with pytest.raises(ValueError, match="unknown role 'winner'"):
        Condition("mine", "mine", "winner")


def test_seeds_are_averaged_and_gains_tested_over_them():
    seeds = [table(seed) for seed in range(5)]
    joined = over_seeds(pd.concat(seeds), averaged=["understood"])
    assert len(joined) == 12
    mine = joined[joined["measure"] == "accuracy"].set_index("criterion").loc["mine"]
    each = [rows[rows["measure"] == "accuracy"].set_index("criterion").loc["mine"] for rows in seeds]
    assert mine[["seeds", "n", "groups", "understood"]].tolist() == [5, 1000, 100, pytest.approx(0.9)]
    assert mine["value"] == pytest.approx(np.mean([row["value"] for row in each]))
    assert mine["ci_low"] < mine["value"] < mine["ci_high"]
    assert mine["over_baseline_p_seeds"] == over_seeds_test(np.array([row["over_baseline"] for row in each]))
    assert mine["content"] < mine["share"] < 1  # what says nothing is better than silence here
    assert mine["over_control_p_seeds"] < 0.01
    assert "over_baseline_p" not in joined  # a test over items
    assert np.isnan(over_seeds(seeds[0])["over_baseline_p_seeds"]).all()  # one seed tells nothing


def test_only_seeds_are_averaged():
    both = pd.concat([table(0), table(1).assign(understood=0.5)])
    with pytest.raises(ValueError, match="seeds differ in understood;"):
        over_seeds(both)
    assert len(over_seeds(both, dropped=["understood"])) == 12
    twice = pd.concat([table(0).assign(distractors="play"), table(0).assign(distractors="anywhere")])
    assert len(over_seeds(twice)) == 24
    with pytest.raises(ValueError, match="differ in more than the seed"):
        over_seeds(twice, dropped=["distractors"])
    with pytest.raises(ValueError, match="seeds differ in criterion, title, role, kind;"):
        over_seeds(pd.concat([table(0), table(1)[2:]]), dropped=["understood"])
    with pytest.raises(ValueError, match="seeds differ in their rows;"):
        over_seeds(pd.concat([table(0), table(1)[1:]]))
