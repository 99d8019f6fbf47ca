"""Into English and back: what the listener at the end hears, and what is left of what communication is worth."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from small_task import SmallTask

from neuralese.evaluate.listeners import ModelRobot
from neuralese.evaluate.outcomes import outcome_table
from neuralese.evaluate.relay import (
    RELAY_OVER,
    SHARES,
    Relay,
    nonsense,
    one_bit,
    relay_outcomes,
    round_trips,
)
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


def played(task: SmallTask) -> tuple[pd.DataFrame, pd.DataFrame]:
    conditions, choices = round_trips(relay(task), CRITERIA, task.said.first(100), task.said)
    outcomes = relay_outcomes(relay(task), conditions, task.said)
    return outcome_table(outcomes, np.random.default_rng(0), RELAY_OVER, SHARES, 100), choices


def test_every_condition_has_a_row_and_controls_need_no_family(task):
    table, _ = played(task)
    expected = {"neuralese", "silence", "shuffled", "mine", "theirs", "nonsense", "one-bit", "random", "interpreter"}
    assert set(table["criterion"]) == expected
    assert (table["n"] == 300).all()
    assert set(table.loc[table["understood"].isna(), "criterion"]) == {
        "neuralese", "silence", "shuffled", "one-bit"
    }  # fmt: skip
    rows = table.set_index("criterion")
    for other in ("silence", "nonsense"):
        gain = rows.loc["mine", "value"] - rows.loc[other, "value"]
        assert rows.loc["mine", f"over_{other}"] == pytest.approx(gain)
    assert (rows["there"] != "").tolist() == [name in ("mine", "theirs", "nonsense") for name in rows.index]


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
    _, choices = round_trips(ways, CRITERIA, dev, task.said)
    first = choices[choices["criterion"] == "mine"].iloc[0]
    assert first["accuracy"] + first["understood"] == pytest.approx(scored[first["there"], first["back"]], abs=1e-9)
    assert scored[first["there"], first["back"]] == pytest.approx(max(scored.values()), abs=1e-9)
    assert first["pairs"] == len(family) ** 2


def test_nonsense_has_the_weights_of_english_in_another_order_and_as_many_words(task):
    english = task.english.spoken()
    babble = nonsense(english)
    assert torch.equal(babble.ids, english.ids)
    for mine, theirs in zip(english.speaker.parameters(), babble.speaker.parameters(), strict=True):
        assert torch.equal(mine.flatten().sort().values, theirs.flatten().sort().values)
    likely, other = (each.log_likelihood(task.candidates).flatten(1) for each in (english, babble))
    assert torch.allclose(other.exp().sum(0), likely.exp().sum(0))  # of the phrases that may be said
    related = torch.corrcoef(torch.cat([likely, other]))[: len(english), len(english) :]
    assert not torch.allclose(related.diagonal(), torch.ones(len(english), dtype=torch.float64), atol=0.05)


def test_nonsense_is_chosen_by_the_robot_alone(task):
    _, choices = round_trips(relay(task), CRITERIA, task.said.first(100), task.said)
    first, second = choices[choices["criterion"] == "nonsense"]["accuracy"]
    assert first >= second


def test_one_bit_says_on_which_side_of_the_main_direction_a_message_lies():
    random = torch.Generator().manual_seed(0)
    side = torch.arange(100) % 2
    vocabulary = torch.randn(100, 4, generator=random) + 10 * side[:, None]
    heard = one_bit(vocabulary, vocabulary + torch.randn(100, 4, generator=random))
    assert len(heard.unique(dim=0)) == 2
    for each in range(2):
        torch.testing.assert_close(heard[side == each], vocabulary[side == each].mean(0).expand(50, -1))
