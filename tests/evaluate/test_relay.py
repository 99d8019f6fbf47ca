"""Into English and back: what the listener at the end hears, and what is left of what communication is worth."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from small_task import NOISE, SmallTask

from neuralese.evaluate.listeners import ModelRobot
from neuralese.evaluate.outcomes import outcome_table
from neuralese.evaluate.relay import OVER, SHARES, PhraseMessages, Relay, new_messages, relay_outcomes, round_trips
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import members

CRITERIA = {
    "mine": {"kind": "belief", "role": "ours", "weights": ["source", "product"], "scale": [1.0, 4.0]},
    "theirs": {"kind": "direct", "role": "baseline", "scale": [1.0, 4.0]},
    "dice": {"kind": "random", "role": "control"},
}


def relay(task: SmallTask) -> Relay:
    """The robot guesses by p(z | x), so that it does not matter at which place an item is shown."""
    likely = replace(task.listeners, robot=ModelRobot(task.robot, task.game))
    listeners = dict.fromkeys(("dev", "test"), likely)
    heard = torch.eye(len(task.english))
    return Relay(task.english.spoken(), task.language(task.vocabulary), task.candidates, listeners, heard)


def played(task: SmallTask, new: dict[str, PhraseMessages] | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    conditions, choices = round_trips(relay(task), CRITERIA, new or {}, task.said.first(100), task.said)
    outcomes = relay_outcomes(relay(task), conditions, task.said)
    return outcome_table(outcomes, np.random.default_rng(0), OVER, SHARES, 100), choices


def test_every_condition_has_a_row_and_controls_need_no_family(task):
    table, _ = played(task)
    expected = {"neuralese", "silence", "shuffled", "mine", "theirs", "random", "interpreter"}
    assert set(table["criterion"]) == expected
    assert (table["n"] == 300).all()
    assert set(table.loc[table["understood"].isna(), "criterion"]) == {"neuralese", "silence", "shuffled"}
    rows = table.set_index("criterion")
    assert rows.loc["mine", "over_silence"] == pytest.approx(rows.loc["mine", "value"] - rows.loc["silence", "value"])
    assert (rows["there"] != "").tolist() == [name in ("mine", "theirs") for name in rows.index]


def test_the_chosen_pair_is_the_best_of_all_by_a_naive_loop(task):
    """Each pair of members by itself: message -> phrase -> message -> guess."""
    ways, dev = relay(task), task.said.first(100)
    family = {label: make_criterion(each) for label, each in members(CRITERIA["mine"]).items()}
    said, phrases, vocabulary = task.language(dev), task.english.spoken(), task.language(task.vocabulary)
    scored = {}
    for there, one in family.items():
        for back, other in family.items():
            phrase = one.scores(said, phrases, task.candidates).argmin(1)
            message = other.scores(phrases, vocabulary, task.candidates).argmin(1)[phrase]
            robot = ways.credit(task.vocabulary.messages[message], dev.states, "dev")
            human = task.listeners.human.credit(torch.eye(len(task.english))[phrases.ids[phrase]], dev.states)
            scored[there, back] = robot.mean() + human.mean()
    _, choices = round_trips(ways, CRITERIA, {}, dev, task.said)
    first = choices[choices["criterion"] == "mine"].iloc[0]
    assert first["accuracy"] + first["understood"] == pytest.approx(scored[first["there"], first["back"]], abs=1e-9)
    assert scored[first["there"], first["back"]] == pytest.approx(max(scored.values()), abs=1e-9)
    assert first["pairs"] == len(family) ** 2


def test_new_messages_pass_the_channel_when_they_are_sent_and_others_have_done_so(task, tmp_path):
    files = task.write_synthesis(tmp_path, otherwise="mine", made_for=[1, 2, 3, 4])
    new = new_messages(files, task.english.spoken(), NOISE)
    assert set(new) == {"mine"}
    phrases = torch.arange(4).repeat(500)
    off = new["mine"].sent(phrases) - new["mine"].messages[phrases]
    assert float(off.std()) == pytest.approx(NOISE, rel=0.05)
    recorded = task.vocabulary.messages[:4]
    assert torch.equal(PhraseMessages(recorded).sent(torch.tensor([2, 0])), recorded[[2, 0]])
    table, choices = played(task, new)
    assert {"mine", "synthesis"} <= set(table["criterion"])
    assert set(choices.loc[choices["criterion"] == "synthesis", "back"]) == {"synthesis"}
    few = task.write_synthesis(tmp_path, otherwise="mine", made_for=[1, 2])  # none for other phrases
    assert new_messages(few, task.english.spoken(), NOISE) == new_messages({}, task.english.spoken(), NOISE) == {}
