"""Proposition 1 next to what was measured: divergence of the translations made, and accuracy lost."""

import math

import pandas as pd
import pytest
from small_task import SmallTask

from neuralese.evaluate.belief import measured_bound
from neuralese.storage.tables import read_table
from neuralese.translate.criteria import BeliefCriterion

CRITERIA = {"mine": {"kind": "belief", "weights": "sum", "role": "ours"}, "theirs": {"kind": "direct"}}


def belief_table() -> pd.DataFrame:
    rows = [
        (distractors, speaker, unit, criterion, accuracy + (0.3 if distractors == "anywhere" else 0))
        for distractors in ("play", "anywhere")
        for speaker, unit, criterion, accuracy in (
            ("R", "message", "none", 0.69),
            ("R", "message", "mine", 0.6),
            ("R", "message", "theirs", 0.55),
            ("H", "utterance", "mine", 0.1),
            ("H", "phrase", "mine", 0.2),
        )
    ]
    return pd.DataFrame(rows, columns=["distractors", "speaker", "unit", "criterion", "value"])


@pytest.mark.parametrize(("criterion", "translated"), [("mine", 0.6), ("theirs", 0.55)])
def test_the_bound_is_of_the_translations_made_and_the_loss_of_the_games_own_distractors(
    task: SmallTask, tmp_path, criterion, translated
):
    tables = task.write(tmp_path, CRITERIA)
    dictionary, spoken = read_table(tables["dictionary.parquet"], "dictionary").to_pandas(), task.language(task.said)
    made = measured_bound(spoken, task.english, task.candidates, dictionary, belief_table(), criterion).iloc[0]
    scores = BeliefCriterion(weights="source", divergence="forward").scores(spoken, task.english, task.candidates)
    best = dictionary.query("direction == 'R->H' and criterion == @criterion and rank == 1")
    expected = [float(scores[row.source_id - 1000, row.target_id]) for row in best.itertuples()]
    assert made["divergence"] == pytest.approx(sum(expected) / len(expected))
    assert made["bound"] == pytest.approx(math.sqrt(2 * made["divergence"]))
    assert made[["native", "translated", "lost"]].tolist() == pytest.approx([0.69, translated, 0.69 - translated])
