"""The belief evaluation: every pair of speaker and listener, under every way to translate."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way, evaluate_belief
from neuralese.evaluate.listeners import Listeners, guess_by_playing
from neuralese.evaluate.statistics import paired_test
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener
from neuralese.speakers.traces import Lists, Traces

ITEMS = 4000
KEYS = ["speaker", "listener", "unit", "criterion"]


class Oracle(HumanListener):
    """Knows that phrase k describes item k."""

    def score(self, observations, bags):
        return bags.gather(1, observations[:, :1]).squeeze(1)


class Setting:
    """Robots and humans who speak of five items; an oracle and an untrained robot listen."""

    def __init__(self, generator: torch.Generator) -> None:
        game = ReferenceGame(torch.eye(5))
        target = torch.arange(ITEMS) % 5
        # phrase k describes item k; the other item is one or two further on
        states = torch.stack([target, (target + 1 + torch.arange(ITEMS) // 5 % 2) % 5], dim=1)
        torch.manual_seed(0)
        cell = Cell(game, CellConfig(hidden=8, message=4))
        self.listeners = Listeners(game, guess_by_playing(cell, game), Oracle(game, hidden=4, words=5), "R")
        messages = torch.randn(ITEMS, 4, generator=generator)
        self.robot = Speech(torch.arange(100, 100 + ITEMS), states, messages)
        units, number = {"utterance": target, "phrase": target}, torch.arange(ITEMS)
        self.human = HumanSpeech(states, torch.eye(5)[target], units, number, number)
        # each phrase becomes a message
        told = {unit: torch.randn(5, 4, generator=generator)[target] for unit in ("utterance", "phrase")}
        wrong = torch.eye(5)[torch.zeros(ITEMS, dtype=torch.long)]  # phrase 0 for everything
        anything = torch.eye(5)[torch.randint(5, (ITEMS,), generator=generator)]
        noise = {unit: torch.randn(ITEMS, 4, generator=generator) for unit in told}
        self.ways = [
            Way("good", "good (ours)", "ours", "belief", torch.eye(5)[target], told),
            Way("poor", "poor (baseline)", "baseline", "direct", wrong, noise),
            Way("dice", "dice (control)", "control", "random", anything, noise),
            Way("new", "made by asking", "asks-judge", "synthesis", None, {"utterance": messages}),
        ]

    def table(self, ways: list[Way] | None = None, human: HumanSpeech | None = None) -> pd.DataFrame:
        generator, ways = torch.Generator().manual_seed(1), self.ways if ways is None else ways
        table = evaluate_belief(self.listeners, self.robot, human or self.human, ways, 200, generator)
        return table.set_index(KEYS)


@pytest.fixture
def setting(generator) -> Setting:
    return Setting(generator)


@pytest.fixture
def played(setting) -> pd.DataFrame:
    return setting.table()


def test_every_pair_is_played_under_every_way_and_in_every_unit(played):
    native = [("R", "R", "message", "none"), ("H", "H*", "utterance", "none"), ("H", "H*", "utterance", "shuffled")]
    by_all = [("R", "H*", "message"), ("H", "R", "utterance"), ("H", "R", "phrase")]
    translated = [(*pair, name) for name in ("good", "poor", "dice") for pair in by_all]
    controls = [("R", "R", "message", name) for name in ("shuffled", "constant", "silence")]
    assert set(played.index) == {*native, *translated, ("H", "R", "utterance", "new"), *controls}
    assert (played["n"] == ITEMS).all()
    assert (played["chance"] == 0.5).all()
    assert ((played["ci_low"] <= played["accuracy"]) & (played["accuracy"] <= played["ci_high"])).all()


def test_controls_fail_if_a_listener_can_win_without_the_message(setting):
    def leaks(messages, states, generator):
        return torch.tensor([1.0, 0.0]).expand(len(states), -1)  # the true candidate comes first, and it knows that

    setting.listeners = replace(setting.listeners, robot=leaks)
    table = setting.table()
    for name in ("shuffled", "constant", "silence"):
        row = table.loc[("R", "R", "message", name)]
        assert row["role"] == "control"
        assert row["ci_low"] > 0.5


def test_what_the_real_listener_picked_is_a_row_of_its_own(setting):
    picked = torch.tensor([1, 1, 1, 0, -1]).repeat(ITEMS)[:ITEMS]  # of every fifth message nothing is known
    setting.listeners, setting.robot = replace(setting.listeners, name="R*"), replace(setting.robot, picked=picked)
    row = setting.table().loc[("R", "R", "message", "none")]
    assert row["accuracy"] == pytest.approx(0.75, abs=0.01)
    assert row["n"] == int((picked >= 0).sum())


def test_a_row_says_what_its_way_is_called_and_there_for(played):
    row = played.loc[("H", "R", "utterance", "poor")]
    assert (row["title"], row["role"], row["kind"]) == ("poor (baseline)", "baseline", "direct")
    assert played.loc[("R", "R", "message", "none"), "role"] == ""
    assert played.loc[("H", "H*", "utterance", "shuffled"), "role"] == "control"


def test_the_robot_that_listens_is_called_what_it_is(setting):
    setting.listeners = replace(setting.listeners, name="R*")
    listeners = set(setting.table().index.droplevel(["unit", "criterion"]))
    assert listeners == {("R", "R*"), ("H", "H*"), ("R", "H*"), ("H", "R*")}


def test_a_right_dictionary_makes_the_oracle_right_and_indifference_is_worth_a_half(played):
    assert played.loc[("H", "H*", "utterance", "none"), "accuracy"] == 1
    assert played.loc[("R", "H*", "message", "good"), "accuracy"] == 1
    # phrase 0 describes the target in a fifth of the games, the other item in a fifth, neither in the rest
    assert played.loc[("R", "H*", "message", "poor"), "accuracy"] == pytest.approx(0.5)


def test_an_untrained_robot_random_words_and_the_words_of_another_message_are_at_chance(setting, generator):
    order = torch.randperm(ITEMS, generator=generator)  # whose words are another's has nothing to do with the items
    human = replace(setting.human, states=setting.human.states[order], bags=setting.human.bags[order])
    table = setting.table(human=human)
    cells = [
        ("R", "R", "message", "none"),
        ("H", "H*", "utterance", "shuffled"),
        ("R", "H*", "message", "dice"),
        ("H", "R", "utterance", "dice"),
    ]
    for cell in cells:
        assert table.loc[cell, "accuracy"] == pytest.approx(0.5, abs=0.05)


def test_gains_over_baseline_and_control_are_measured_on_the_same_items(setting, played):
    states, ways = setting.robot.states, {way.name: way for way in setting.ways}
    credit = {name: setting.listeners.human_credit(ways[name].bags, states) for name in ("good", "poor", "dice")}
    good = played.loc[("R", "H*", "message", "good")]
    assert good[["gain", "gain_error", "p_value"]].tolist() == pytest.approx(
        paired_test(credit["good"], credit["poor"])
    )
    assert good["p_value"] < 1e-6
    over_control = good[["gain_control", "gain_control_error"]].tolist()
    assert over_control == pytest.approx(paired_test(credit["good"], credit["dice"])[:2])
    dice, poor = played.loc[("R", "H*", "message", "dice")], played.loc[("R", "H*", "message", "poor")]
    assert dice["gain"] == pytest.approx((credit["dice"] - credit["poor"]).mean())
    assert poor["gain_control"] == pytest.approx((credit["poor"] - credit["dice"]).mean())
    assert np.isnan([dice["gain_control"], poor["gain"]]).all()  # nothing is compared with itself


def test_a_way_is_compared_with_the_baseline_in_its_own_unit(played):
    for unit in ("utterance", "phrase"):
        good, poor = (played.loc[("H", "R", unit, name)] for name in ("good", "poor"))
        assert good["gain"] == pytest.approx(good["accuracy"] - poor["accuracy"])
    assert played.loc[("H", "R", "utterance", "new"), "gain"] == pytest.approx(
        played.loc[("H", "R", "utterance", "new"), "accuracy"] - played.loc[("H", "R", "utterance", "poor"), "accuracy"]
    )


def test_without_translation_there_is_nothing_to_gain(played):
    gains = ["gain", "gain_error", "p_value", "gain_control", "gain_control_error"]
    for cell in (
        ("R", "R", "message", "none"),
        ("H", "H*", "utterance", "none"),
        ("H", "H*", "utterance", "shuffled"),
    ):
        assert played.loc[cell, gains].isna().all()


def test_without_a_baseline_or_a_control_nothing_is_compared_with_them(setting):
    table = setting.table(ways=[way for way in setting.ways if way.role not in ("baseline", "control")])
    assert table[["gain", "p_value", "gain_control"]].isna().all(axis=None)


def test_messages_of_one_game_count_as_one(setting):
    together = replace(setting.human, games=torch.arange(ITEMS) // 400)  # ten games
    alone, grouped = setting.table(), setting.table(human=together)
    translated, native = ("H", "R", "utterance", "good"), ("R", "R", "message", "none")
    assert grouped.loc[translated, "games"] == 10
    assert alone.loc[translated, "games"] == ITEMS
    assert alone["accuracy"].tolist() == grouped["accuracy"].tolist()  # every item is played as before
    assert alone.loc[translated, "gain_error"] != pytest.approx(grouped.loc[translated, "gain_error"], rel=1e-3)
    assert alone.loc[translated, "ci_high"] != pytest.approx(grouped.loc[translated, "ci_high"], abs=1e-4)
    assert alone.loc[native, "games"] == grouped.loc[native, "games"] == ITEMS


def test_a_message_that_was_drawn_twice_is_one_message(setting):
    again = replace(setting.human, traces=torch.arange(ITEMS) % 70)
    table = setting.table(human=again)
    assert table.loc[("H", "R", "utterance", "good"), "distinct"] == 70
    assert table.loc[("R", "H*", "message", "good"), "distinct"] == ITEMS


@pytest.mark.parametrize("count", [3, 5])
def test_with_more_candidates_chance_is_lower_and_who_knows_nothing_is_there(count, generator):
    game = ReferenceGame(torch.eye(9), n_candidates=count)
    states = torch.stack([torch.randperm(9, generator=generator)[:count] for _ in range(ITEMS)])
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    listeners = Listeners(game, guess_by_playing(cell, game), Oracle(game, hidden=4, words=9), "R")
    number, said = torch.arange(ITEMS), torch.eye(9)[states[:, 0]]
    random = torch.eye(9)[torch.randint(9, (ITEMS,), generator=generator)]
    messages = torch.randn(2, ITEMS, 4, generator=generator)
    human = HumanSpeech(states, said, {"utterance": states[:, 0]}, number, number)
    ways = [
        Way("good", "good (ours)", "ours", "belief", said, {}),
        Way("dice", "dice (control)", "control", "random", random, {"utterance": messages[1]}),
    ]
    robot = Speech(number, states, messages[0])
    table = evaluate_belief(listeners, robot, human, ways, 400, torch.Generator().manual_seed(1)).set_index(KEYS)
    assert set(table["candidates"]) == {count}
    assert set(table["chance"]) == {1 / count}
    assert table.loc[("R", "H*", "message", "good"), "accuracy"] == 1
    assert table.loc[("H", "H*", "utterance", "none"), "accuracy"] == 1
    for cell in (("R", "H*", "message", "dice"), ("H", "R", "utterance", "dice"), ("R", "R", "message", "none")):
        row = table.loc[cell]
        assert row["ci_low"] < 1 / count < row["ci_high"], cell
    # a word that says nothing of any of the items leaves the listener with all of them
    assert listeners.human_credit(torch.zeros(ITEMS, 9), states).tolist() == pytest.approx([1 / count] * ITEMS)


def traces(said: list[tuple[int, ...]], games: torch.Tensor) -> Traces:
    starts = torch.tensor([0, *torch.tensor([len(each) for each in said]).cumsum(0).tolist()])
    phrases = Lists(torch.tensor([phrase for each in said for phrase in each]), starts, 3)
    return Traces(torch.arange(2 * len(said)).view(-1, 2), phrases, phrases, games)


def test_human_speech_is_drawn_without_repetition_while_it_lasts(generator):
    said = [(0,), (1,), (2,), (0, 1), (0, 2)] * 2
    spoken, game = traces(said, games=torch.arange(10)), ReferenceGame(torch.eye(20))
    parts = ((0,), (1,), (2,), (0, 1), (0, 2))
    speech = HumanSpeech.draw(game, spoken, None, parts, 10, generator)
    assert sorted(speech.states[:, 0].tolist()) == list(range(0, 20, 2))
    assert not speech.repeated
    again = HumanSpeech.draw(game, spoken, None, parts, 25, generator)
    assert len(again.states) == 25
    assert again.repeated
    assert again.traces.bincount().tolist() == pytest.approx([2.5] * 10, abs=0.5)  # all equally often


def test_what_is_translated_is_the_whole_utterance_or_one_of_its_phrases(generator):
    said = [(0,), (1,), (0, 1), (0, 2), (2,)] * 40
    parts = ((0,), (1,), (2,), (0, 2), (0, 1))
    game, spoken = ReferenceGame(torch.eye(400)), traces(said, torch.arange(200))
    speech = HumanSpeech.draw(game, spoken, None, parts, 200, generator)
    phrases = {}
    for utterance, phrase, trace in zip(
        speech.units["utterance"].tolist(), speech.units["phrase"].tolist(), speech.traces.tolist(), strict=True
    ):
        assert parts[utterance] == said[trace]
        phrases.setdefault(said[trace], set()).add(phrase)
    assert phrases == {each: set(each) for each in parts}  # any of them, and none other
    assert torch.equal(speech.bags.bool(), spoken.phrases.bags(speech.traces).bool())


def test_silence_is_not_evaluated_as_something_said(generator):
    said = [(0,), (1,), (2,), (1, 2)] * 5
    spoken = traces(said, torch.arange(20))
    parts = ((0,), (1,), (2,), (1, 2))
    aloud = HumanSpeech.draw(ReferenceGame(torch.eye(40)), spoken, 0, parts, 100, generator)
    assert set(aloud.units["phrase"].tolist()) == {1, 2}
    assert set(aloud.units["utterance"].tolist()) == {1, 2, 3}
