"""Sentences on what holds: judged over seeds by the role of a criterion, and never from one seed."""

import numpy as np
import pandas as pd
import pytest
from comparison_rows import PAPERS, behavior_rows, belief_rows

from neuralese.evaluate.comparison import BOUND, EASIER, JUDGE, PHRASE, compare
from neuralese.report.claims import (
    FAILS,
    HOLDS,
    OPEN,
    Claim,
    claims,
    findings,
    main_cells,
    relay_sentence,
    uninformative,
)


def shifted(table: pd.DataFrame, by: float, speaker: str | None = None, spread: float = 0.0) -> pd.DataFrame:
    """Results whose criterion of ours gains `by` more, with a `spread` that alternates between seeds."""
    chosen = table["role"] == "ours"
    if speaker:
        chosen &= table["speaker"] == speaker
    names = ["value", "ci_low", "ci_high", *(f"over_{role}" for role in ("baseline", "control", "silence"))]
    names = [name for name in names if name in table]
    more = by + spread * (table["seed"] % 2 * 2 - 1)
    return table.assign(**{name: table[name].where(~chosen, table[name] + more) for name in names})


def told(belief: pd.DataFrame | None = None, seeds: int = 5, data: str = "mirror") -> list[Claim]:
    """The claims on colours."""
    belief = belief_rows(data, seeds) if belief is None else belief
    table = compare(belief, papers=PAPERS)
    return claims(table[table["task"] == "colors"])


def beats(found: list[Claim], what: str) -> list[Claim]:
    return [claim for claim in found if f"beats {what}" in claim.text]


def test_from_one_seed_differences_are_described_without_a_verdict():
    for table in (
        compare(belief_rows(seeds=1), papers=PAPERS),
        compare(belief_rows(seeds=1), behavior_rows(seeds=1), PAPERS),
    ):
        for _, rows in table.groupby("table"):
            found = claims(rows)
            assert {claim.verdict for claim in found} == {None}
            assert not any(OPEN in claim.text or "The claim" in claim.text for claim in found)
            assert any("one seed, no test" in claim.text for claim in found)
    (first, *_) = told(belief_rows(seeds=1))
    assert first.text == (
        "belief beside direct from robot to human: 0.750 against 0.650, a difference of +0.100 (one seed, no test)."
    )
    unknown = told(belief_rows(seeds=1).query("role != 'baseline'").assign(over_baseline=np.nan))
    assert {claim.verdict for claim in unknown if "is unknown" in claim.text} == {None}


@pytest.mark.parametrize(
    ("by", "spread", "speaker", "verdicts"),
    [
        # into English by H*, into neuralese, and into English by two other judges
        (0.0, 0.0, None, [HOLDS] * 4),  # five seeds agree
        (-0.2, 0.0, None, [FAILS] * 4),  # below the baseline in every seed
        (-0.09, 0.3, None, [OPEN] * 4),  # above it on average, but seeds do not agree
        (-0.11, 0.3, None, [OPEN] * 4),
        (-0.2, 0.0, "H", [HOLDS, FAILS, HOLDS, HOLDS]),  # one way only
    ],
)
def test_the_claim_is_judged_by_the_gain_over_the_baseline_in_all_seeds(by, spread, speaker, verdicts):
    found = told(shifted(belief_rows(seeds=5), by, speaker, spread))
    assert [claim.verdict for claim in beats(found, "direct")] == verdicts
    assert all("after Holm's correction, 5 seeds" in claim.text for claim in beats(found, "direct"))
    assert found[0].verdict == verdicts[1]
    assert found[0].text.endswith(f"here: {verdicts.count(HOLDS)} of 4 comparisons support it.")
    assert not any("is unknown" in claim.text for claim in found)  # of humans among themselves there is only a control


def test_a_claim_that_is_sure_alone_need_not_be_among_many():
    """Holm's correction: with three tasks there are ten main claims, with colours alone four."""
    belief = shifted(belief_rows(seeds=5), -0.065)  # 0.035 over the baseline: p is about 0.008
    several = told(belief)
    alone = told(belief[belief["task"] == "colors"])
    assert [claim.verdict for claim in beats(several, "direct")] == [OPEN] * 4
    assert [claim.verdict for claim in beats(alone, "direct")] == [HOLDS] * 4


def test_only_the_main_section_decides():
    table = compare(belief_rows(seeds=5), papers=PAPERS)
    rows = table[table["task"] == "driving"]
    assert set(rows["section"]) == {"", PHRASE, EASIER, BOUND}
    worse = rows.assign(
        **{name: rows[name].where(rows["section"] == "", -0.3) for name in ("over_baseline", "over_control")}
    )
    assert [claim.verdict for claim in claims(worse)] == [claim.verdict for claim in claims(rows)]
    colors = table[table["task"] == "colors"]
    without = colors[colors["section"] != JUDGE]
    assert [claim.text for claim in claims(colors)] == [claim.text for claim in claims(without)]


def test_embedded_data_is_not_set_beside_the_paper_and_bears_no_claim_out():
    found, real = told(data="embedded"), told()
    assert "never compared with the paper" in found[0].text
    for claims_on, beside in ((found, False), (real, True)):
        assert any("the paper also reports" in claim.text for claim in claims_on) is beside
        assert (HOLDS in {claim.verdict for claim in claims_on}) is beside
    assert {claim.verdict for claim in found} == {None}


def test_figures_are_counted_as_within_higher_and_lower():
    table = compare(belief_rows(seeds=1), papers=PAPERS)
    rows = table[table["task"] == "colors"].copy()
    beside = rows["paper"].notna()
    rows["paper"] = rows["value"].where(beside)  # as the paper has them, but for two
    rows.loc[beside & (rows["role"] == "ours") & (rows["pair"] == "R → H*"), "paper"] = 0.9
    rows.loc[beside & (rows["role"] == "baseline") & (rows["pair"] == "H → R"), "paper"] = 0.3
    told = claims(rows)[-1].text
    assert beside.sum() == 12
    assert "Of 12 cells that the paper also reports, 10 have its figure within their interval" in told
    assert "1 are higher and 1 lower (R → H* belief (ours, chosen on dev) 0.75 against 0.90)." in told


@pytest.mark.parametrize("criterion", ["random", "shuffled"])
def test_a_control_that_is_not_at_chance_is_told(criterion):
    found = told()
    assert Claim("All 7 controls are at chance, as they must be.", HOLDS) in found
    belief = belief_rows(seeds=5)
    leaking = (belief["criterion"] == criterion) & (belief["unit"] != "phrase") & (belief["speaker"] == "H")
    for name in ("value", "ci_low", "ci_high"):
        belief[name] = belief[name].where(~leaking, belief[name] + 0.1)
    (claim,) = [claim for claim in told(belief) if "controls" in claim.text]
    assert claim.verdict == FAILS
    assert "may leak: H → " in claim.text
    assert "0.600 [" in claim.text


@pytest.mark.parametrize("role", ["ours", "baseline"])
def test_a_criterion_that_was_not_run_leaves_the_claim_open(role):
    belief = belief_rows(seeds=5)
    missing = belief[belief["role"] != role]
    if role == "baseline":
        missing = missing.assign(over_baseline=np.nan)
    found = told(missing)
    assert found[0].verdict == OPEN
    assert sum("is unknown" in claim.text for claim in found) == 4


@pytest.mark.parametrize(("by", "spread", "verdict"), [(0, 0, HOLDS), (-0.4, 0, FAILS), (-0.05, 0.5, OPEN)])
def test_behaviour_is_judged_in_reward_and_completion_and_over_the_control_and_silence(by, spread, verdict):
    def behaviour(rows: pd.DataFrame) -> list[Claim]:
        table = compare(belief_rows(seeds=5, tasks=("colors",)), rows, PAPERS)
        return claims(table[table["table"] == "3"])

    rows = behavior_rows(seeds=5)
    found = behaviour(shifted(rows, by, spread=spread))
    deciding = beats(found, "direct in")
    assert [claim.verdict for claim in (found[0], *deciding)] == [verdict] * 3
    assert ["reward" in deciding[0].text, "completion" in deciding[1].text] == [True, True]
    assert len(beats(found, "random in")) == len(beats(found, "silence in")) == 2
    missing = behaviour(rows[rows["role"] != "ours"])
    assert (missing[0].verdict, sum("is unknown" in claim.text for claim in missing)) == (OPEN, 2)


# the first screen

NAMES = {"colors": "Colours", "birds": "Birds", "driving": "Driving"}
RELAYS = [
    {
        "task": "birds",
        "measure": "accuracy",
        "rows": [
            {"role": "ours", "share": 0.97, "understood": 0.84},
            {"role": "baseline", "share": 0.1, "understood": 0.5},
        ],
    },
    {"task": "driving", "measure": "reward", "rows": [{"role": "ours", "share": np.nan, "understood": 0.7}]},
    {"task": "driving", "measure": "completion", "rows": [{"role": "ours", "share": 0.5, "understood": np.nan}]},
]


def cells(data: str = "mirror", seeds: int = 5) -> list[dict]:
    return main_cells(compare(belief_rows(data, seeds), papers=PAPERS))


def test_there_is_a_cell_for_each_task_and_direction_of_the_main_protocol():
    found = cells()
    assert list(dict.fromkeys((cell["task"], cell["way"]) for cell in found)) == [
        (task, way) for task in NAMES for way in ("robot → human", "human → robot")
    ]
    assert {round(cell["ours"], 6) for cell in found} == {0.75}
    assert {round(cell["marks"]["direct"][0], 6) for cell in found} == {0.65}


def test_a_finding_says_how_often_a_judge_is_right_beside_the_baseline_and_chance():
    found = findings(cells(seeds=1))
    assert [each["task"] for each in found] == [*NAMES]
    assert found[0]["share"] == pytest.approx(0.75)
    assert found[0]["text"] == (
        "H* hears the English and picks what was meant (chance 50; 65 by direct). "
        "Otherwise judged: 75 by neighbours, 75 by comparative. The other way, from human to robot 75."
    )
    assert "beats" not in findings(cells("embedded"))[0]["text"]  # a stand-in supports nothing
    assert "That this beats direct holds (5 seeds, after Holm's correction)." in findings(cells())[0]["text"]


def test_every_judge_has_a_cell_with_what_was_said_untranslated():
    table = compare(belief_rows(seeds=1, tasks=("colors",)), papers=PAPERS)
    lower = table["section"] == "neighbours"
    found = main_cells(table.assign(value=table["value"].where(~lower, table["value"] - 0.1)))
    assert [(cell["judge"], cell["way"]) for cell in found] == [
        ("H*", "robot → human"),
        ("neighbours", "robot → human"),
        ("comparative", "robot → human"),
        ("R", "human → robot"),
    ]
    assert [round(cell["own"], 2) for cell in found] == [0.8, 0.7, 0.8, 0.9]
    assert [cell["paper"] for cell in found] == [0.86, None, None, 0.73]
    assert [*found[0]["roles"].values()] == ["control", "baseline", "printed", "ours"]
    (finding,) = findings(found)
    judged = "Otherwise judged: 65 by neighbours, 75 by comparative. The other way, from human to robot 75."
    assert judged in finding["text"]


def test_what_survives_a_relay_is_said_where_it_can_be():
    text = relay_sentence(RELAYS, NAMES)
    assert "only through English keep 97% (Birds) of the value of communication; by a baseline, 10% (Birds)" in text
    assert "as they might through any consistent code. H* understands 84% (Birds) of the same English." in text
    babble = {"role": "nonsense", "share": 0.96, "understood": 0.5}
    relays = [{**RELAYS[0], "rows": [*RELAYS[0]["rows"], babble]}]
    assert "; through nonsense, 96% (Birds). H* understands" in relay_sentence(relays, NAMES)
    assert relay_sentence([], NAMES) == ""


def protocol(task: str, *p_values: float) -> list[dict]:
    return [{"task": task, "protocol": [{"measure": "p_value", "variable": "", "value": value}]} for value in p_values]


def test_where_the_permutation_test_finds_nothing_no_finding_stands():
    parts = protocol("colors", 0.28, 1.0) + protocol("birds", 0.6, 0.01)
    assert uninformative(parts) == {"colors": 0.28}
    left = main_cells(compare(belief_rows("mirror", 5), papers=PAPERS), {"colors": 0.28})
    assert "colors" not in {each["task"] for each in findings(left)}


def test_of_two_baselines_the_one_that_did_best_on_dev_is_compared():
    belief = belief_rows(seeds=3)
    other = belief[belief["role"] == "baseline"].assign(criterion="pmi", value=0.6, dev=0.9)
    found = main_cells(compare(pd.concat([belief.assign(dev=0.8), other]), papers=PAPERS))
    assert {cell["best"] for cell in found} == {"pmi"}
    assert {round(cell["marks"]["pmi"][0], 6) for cell in found} == {0.6}
    assert "65 by direct, 60 by pmi" in findings(found)[0]["text"]
    assert "That this beats pmi holds" in findings(found)[0]["text"]
