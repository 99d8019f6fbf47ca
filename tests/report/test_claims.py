import pandas as pd
import pytest

from neuralese.report.page.claims import FAILS, HOLDS, OPEN, claims


def row(pair, criterion, ours, paper=None, gain=None, p_value=None, half=0.01, measure="accuracy", data="mirror"):
    task = "driving" if measure != "accuracy" else "birds"
    return {
        "task": task,
        "pair": pair,
        "criterion": criterion,
        "measure": measure,
        "data": data,
        "ours": ours,
        "ci_low": ours - half,
        "ci_high": ours + half,
        "paper": paper,
        "gain": gain,
        "p_value": p_value,
    }


def belief_table(gain=0.1, p_value=0.0, data="mirror", random=0.5):
    rows = []
    for pair in ("R → H*", "H → R"):
        paper = None if data == "embedded" else 0.6
        rows.append(row(pair, "belief", 0.6 + gain, paper, gain, p_value, data=data))
        rows.append(row(pair, "direct", 0.6, paper, data=data))
        rows.append(row(pair, "random", random, None if data == "embedded" else 0.5, data=data))
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("gain", "p_value", "verdict"), [(0.1, 0.001, HOLDS), (-0.1, 0.001, FAILS), (0.1, 0.2, OPEN), (-0.1, 0.2, OPEN)]
)
def test_the_claim_is_judged_by_the_gain_over_direct(gain, p_value, verdict):
    first = claims(belief_table(gain, p_value))[0]
    assert first.verdict == verdict
    assert first.text.startswith(f"The paper's claim that translation by belief beats direct translation {verdict}")


def test_a_claim_that_holds_one_way_only_does_not_hold():
    table = belief_table(0.1, 0.001)
    table.loc[table["pair"] == "H → R", ["gain", "ours"]] = [-0.1, 0.5]
    told = claims(table)
    assert told[0].verdict == FAILS
    assert "1 of 2 comparisons bear it out" in told[0].text
    assert [claim.verdict for claim in told if "beats direct" in claim.text] == [FAILS, HOLDS, FAILS]


def test_embedded_data_is_not_set_beside_the_paper():
    told = claims(belief_table(data="embedded"))
    assert "never set beside the paper" in told[0].text
    assert not any("paper's" in claim.text for claim in told)


def test_figures_are_counted_as_within_higher_and_lower():
    table = belief_table(0.1, 0.001)  # belief 0.70 where the paper has 0.60; direct and random as in the paper
    table.loc[0, ["ours", "ci_low", "ci_high"]] = [0.5, 0.49, 0.51]
    told = claims(table)[-1].text
    assert "6 figures 4 lie within our intervals; ours are higher in 1 and lower in 1" in told
    assert "R → H* belief 0.50 against 0.60" in told


def test_random_translation_that_is_not_at_chance_is_told():
    told = [claim for claim in claims(belief_table(random=0.55)) if "beats random" in claim.text]
    assert all(claim.verdict == FAILS and "may leak" in claim.text for claim in told)


def test_a_criterion_that_was_not_run_leaves_the_claim_open():
    table = belief_table()
    assert claims(table[table["criterion"] != "direct"])[0].verdict == OPEN


@pytest.mark.parametrize(("belief", "verdict"), [(2.0, HOLDS), (1.0, FAILS), (1.52, OPEN)])
def test_behaviour_is_judged_by_intervals(belief, verdict):
    rows = [
        row("R/H", name, value, 1.5, half=0.1, measure="reward")
        for name, value in (("belief", belief), ("direct", 1.5))
    ]
    assert claims(pd.DataFrame(rows))[0].verdict == verdict
