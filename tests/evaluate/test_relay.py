"""Into English and back: what the listener at the end hears, and what is left of what communication is worth."""

import numpy as np
import pandas as pd
import pytest
import torch
from small_task import NOISE, SmallTask

from neuralese.evaluate.listeners import Listeners, guess_by_likelihood
from neuralese.evaluate.relay import Back, Made, Relay, made_messages, play_relay, trips
from neuralese.evaluate.relayed import relay_rows, share_of, summarise
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import members

CRITERIA = {
    "mine": {"kind": "belief", "role": "ours", "weights": ["source", "product"], "scale": [1.0, 4.0]},
    "theirs": {"kind": "direct", "role": "baseline", "scale": [1.0, 4.0]},
    "dice": {"kind": "random", "role": "control"},
}


def relay(task: SmallTask) -> Relay:
    """The robot guesses by p(z | x), so that it does not matter at which place an item is shown."""
    likely = Listeners(task.game, guess_by_likelihood(task.robot, task.game), task.listener, "R*")
    listeners = dict.fromkeys(("dev", "test"), likely)
    heard = torch.eye(len(task.english))
    return Relay(task.english.spoken(), task.language(task.vocabulary), task.candidates, listeners, heard)


def played(task: SmallTask, made: tuple[Made, ...] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    return play_relay(relay(task), CRITERIA, list(made), task.said.first(100), task.said, 100)


def test_every_way_has_a_row_and_controls_need_no_family(task):
    table, _ = played(task)
    expected = {"neuralese", "silence", "shuffled", "mine", "theirs", "random", "interpreter"}
    assert set(table["criterion"]) == expected
    assert (table["n"] == 300).all()
    assert set(table.loc[table["understood"].isna(), "criterion"]) == {"neuralese", "silence", "shuffled"}


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
            human = task.listeners.human_credit(torch.eye(len(task.english))[phrases.ids[phrase]], dev.states)
            scored[there, back] = robot.mean() + human.mean()
    _, choices = trips(ways, CRITERIA, [], dev, task.said)
    first = choices[choices["criterion"] == "mine"].iloc[0]
    assert first["accuracy"] + first["understood"] == pytest.approx(scored[first["there"], first["back"]], abs=1e-9)
    assert scored[first["there"], first["back"]] == pytest.approx(max(scored.values()), abs=1e-9)
    assert first["pairs"] == len(family) ** 2


def test_what_is_heard_is_the_message_of_the_phrase_of_the_message(task):
    found, _ = trips(relay(task), CRITERIA, [], task.said.first(100), task.said)
    mine = next(trip for trip in found if trip.name == "mine")
    there, back = (make_criterion(members(CRITERIA["mine"])[member]) for member in mine.members)
    phrases = task.english.spoken()
    said = task.language(task.said)
    assert (there.scores(said, phrases, task.candidates).argmin(1) == mine.phrases).double().mean() > 0.99
    best = back.scores(phrases, task.language(task.vocabulary), task.candidates).argmin(1)
    torch.testing.assert_close(mine.messages, task.vocabulary.messages[best[mine.phrases]])


def test_new_messages_pass_the_channel_when_they_are_sent(task, tmp_path):
    files = task.write_synthesis(tmp_path, otherwise="mine", made_for=[1, 2, 3, 4])
    made = made_messages(files, task.english.spoken(), NOISE)
    assert [each.family for each in made] == ["mine"]
    phrases = torch.arange(4).repeat(500)
    off = made[0].back.sent(phrases) - made[0].back.messages[phrases]
    assert float(off.std()) == pytest.approx(NOISE, rel=0.05)
    table, choices = played(task, tuple(made))
    assert {"mine", "synthesis"} <= set(table["criterion"])
    assert set(choices.loc[choices["criterion"] == "synthesis", "back"]) == {"synthesis"}


def test_where_a_phrase_has_no_new_message_none_are_relayed(task, tmp_path):
    files = task.write_synthesis(tmp_path, otherwise="mine", made_for=[1, 2])
    assert made_messages(files, task.english.spoken(), NOISE) == []
    assert made_messages({}, task.english.spoken(), NOISE) == []


def test_messages_of_the_vocabulary_are_sent_as_they_were_recorded(task):
    messages = task.vocabulary.messages[:4]
    assert torch.equal(Back(messages).sent(torch.tensor([2, 0])), messages[[2, 0]])


def test_a_share_is_of_what_communication_is_worth():
    random = np.random.default_rng(0)
    native, silence = np.ones(400), np.tile([0.0, 1.0], 200)
    half = np.where(np.arange(400) % 4 == 0, 0.0, 1.0)  # of the 200 that silence loses, 100 are won
    found = share_of(half, silence, native, random, 500)
    assert found[0] == pytest.approx(0.5)
    assert found[1] < 0.5 < found[2]
    assert share_of(silence, silence, native, random, 500)[0] == 0
    assert share_of(native, silence, native, random, 500)[0] == 1
    assert np.isnan(share_of(half, native, native, random, 500)[0])  # nothing to be won


def test_gains_are_paired_and_tested_over_seeds():
    random = np.random.default_rng(1)
    roles = {"neuralese": "native", "silence": "silence", "shuffled": "control", "theirs": "baseline", "mine": "ours"}
    tables = []
    for seed in range(5):
        values = {
            "neuralese": np.ones(200),
            "silence": random.integers(0, 2, 200).astype(float),
            "shuffled": (random.random(200) < 0.55).astype(float),
            "theirs": (random.random(200) < 0.6).astype(float),
            "mine": (random.random(200) < 0.9).astype(float),
        }
        rows = relay_rows("accuracy", values, roles, 100).assign(title="", task="small", seed=seed, data="mirror")
        mine = rows.set_index("criterion").loc["mine"]
        assert mine["gain_silence"] == pytest.approx(values["mine"].mean() - values["silence"].mean())
        tables.append(rows.assign(role=rows["criterion"].map(roles), understood=0.5))
    table = summarise(pd.concat(tables)).set_index("criterion")
    assert (
        table.loc["mine", "content"] < table.loc["mine", "share"] < 1
    )  # what says nothing is better than silence here
    assert table.loc["mine", "p_silence"] < 0.01
    assert table.loc["mine", "p_baseline"] < 0.01
    assert np.isnan(table.loc["theirs", "p_baseline"])
    assert table.loc["mine", "ci_low"] < table.loc["mine", "value"] < table.loc["mine", "ci_high"]
    assert np.isnan(summarise(tables[0]).set_index("criterion").loc["mine", "p_silence"])  # one seed tells nothing
