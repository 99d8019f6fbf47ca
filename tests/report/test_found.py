"""The first screen says what was found, no more than the tests decide."""

import numpy as np
import pytest
from comparison_rows import PAPERS, belief_rows

from neuralese.evaluate.comparison import compare
from neuralese.report.page.found import main_cells, paragraph, scale, uninformative

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
    assert [(cell["task"], cell["way"]) for cell in found] == [
        (task, way) for task in NAMES for way in ("robot → human", "human → robot")
    ]
    assert {round(cell["ours"], 6) for cell in found} == {0.75}
    assert {round(cell["baseline"], 6) for cell in found} == {0.65}


def test_several_seeds_are_tested_and_what_survives_is_said_where_it_can_be():
    text = paragraph(cells(), RELAYS, NAMES, embedded=False)
    assert "Translated by belief" in text
    assert "75% (Colours), 75% (Birds) and 75% (Driving) of the time from robot to human, and 75% (Colours)" in text
    assert "beats direct translation, also chosen on dev, in 6 of 6 comparisons (5 seeds, after Holm's" in text
    assert "only through English keep 97% (Birds) of the value of communication (by direct, 10% (Birds))" in text
    assert (
        "as they might through any consistent code; the model human guesses right from that English 84% (Birds)" in text
    )
    assert "50% (Driving)" not in text


def test_one_seed_and_embedded_data_claim_nothing():
    assert "nothing can be claimed about other agents" in paragraph(cells(seeds=1), [], NAMES, embedded=False)
    text = paragraph(cells("embedded"), [], NAMES, embedded=True)
    assert "supports no claim" in text
    assert "6 of 6" not in text
    assert paragraph([], [], NAMES, embedded=False) == "Nothing was translated in this run."


def protocol(task: str, *p_values: float) -> list[dict]:
    return [{"task": task, "protocol": [{"measure": "p_value", "variable": "", "value": value}]} for value in p_values]


def test_where_the_permutation_test_finds_nothing_no_headline_stands():
    parts = protocol("colors", 0.28, 1.0) + protocol("birds", 0.6, 0.01)
    assert uninformative(parts) == {"colors": 0.28}
    left = main_cells(compare(belief_rows("mirror", 5), papers=PAPERS), {"colors": 0.28})
    text = paragraph(left, RELAYS, NAMES, False, {"colors": 0.28})
    opening = "These messages carry no information about these states that we can detect (Colours: permutation test, p "
    assert text.startswith(opening + "= 0.28")
    assert "75% (Colours)" not in text
    assert "75% (Birds)" in text
    assert paragraph([], [], NAMES, False, {"colors": 1.0}).startswith(opening)


def test_places_keep_the_order_of_figures_and_stay_on_the_axis():
    placed = scale(cells())[0]["at"]
    assert 0 < placed["chance"] < placed["baseline"] < placed["low"] < placed["ours"] < placed["high"] < 100
    span = placed["ours"] - placed["baseline"]
    assert span == pytest.approx((0.75 - 0.65) / (0.75 - 0.5) * (placed["ours"] - placed["chance"]), abs=0.02)
