"""What the page shows of one task and seed: its dictionary, its messages, and what they say."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.agents.messages import Sequences, Speech
from neuralese.evaluate.listeners import ModelHuman, ModelRobot
from neuralese.games.reference import ReferenceGame
from neuralese.report.explorer import cloud, explore, look_up, repeated, sees_others, verdicts, written
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.translate.languages import Composed, English, Neuralese


def languages(generator, candidates=2):
    torch.manual_seed(0)
    game = ReferenceGame(torch.rand(20, 3, generator=generator), n_candidates=candidates)
    robot, human = RobotSpeaker(game, 8, 4, 0.3), HumanSpeaker(game, 8, 3)
    english = English(game, human, ["red", "green", "blue"])
    said = Neuralese(game, robot, torch.randn(6, 4, generator=generator), torch.arange(10, 16))
    return game, english, said


def entry(criterion, rank, source, target, text, bag=False):
    row = {"direction": "R->H", "criterion": criterion, "rank": rank, "source_id": source, "target_id": target}
    return row | {"target": text, "bag": bag}


@pytest.mark.parametrize("candidates", [2, 4])
def test_the_explorer_holds_what_both_listeners_believe(generator, candidates):
    game, english, said = languages(generator, candidates)
    human = ModelHuman(HumanListener(game, 8, 3), game)
    bags = Composed(english, ((0,), (0, 2)))
    words = {False: torch.eye(3), True: bags.heard(torch.eye(3))}
    rows = [entry("mine", 2, 10, 1, "green"), entry("mine", 1, 10, 2, "blue"), entry("mine", 1, 99, 1, "green")]
    rows += [
        entry("other", 1, 10, 0, "red"),
        entry("other", 2, 10, 1, "green"),
        entry("new", 1, 10, 1, "red, blue", True),
    ]
    speech = Speech(torch.tensor([10]), game.draw_states(1, generator), said.messages[:1])
    (found,) = explore(speech, pd.DataFrame(rows), "mine", words, human, ModelRobot(said.speaker, game))
    translations = [each[:2] for each in found["english"]]
    assert translations == [["new", "red, blue"], ["mine", "blue"], ["mine", "green"], ["other", "red"]]
    heard = torch.tensor([[1.0, 0, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0]])
    expected = human.preferences(heard, speech.states.expand(4, -1)).softmax(-1).mean(0)  # of several networks
    np.testing.assert_allclose([each[2] for each in found["english"]], expected, atol=1e-3)
    assert np.shape(found["robot"]) == (candidates,)
    np.testing.assert_allclose(found["message"], said.messages[0], atol=0.01)
    json.dumps(found, allow_nan=False)


def test_phrases_know_how_often_they_are_said_and_understood_and_a_message_for_them(generator):
    game, _, said = languages(generator)
    spoken = Speech(said.ids, game.draw_states(6, generator), said.messages)
    right = np.array([1.0, 0.5, 1.0])
    red, green, blue = look_up(["red", "green", "blue"], [0, 0, 2], right, {0: 12, 2: 10}, spoken)
    assert [(each["count"], each["right"]) for each in (red, green, blue)] == [(2, 0.75), (0, 0.0), (1, 1.0)]
    assert [red["said_in"], green["said_in"], blue["said_in"]] == [
        spoken.states[2].tolist(),
        None,
        spoken.states[0].tolist(),
    ]
    np.testing.assert_allclose(blue["message"], said.messages[0], atol=0.01)


def test_symbols_are_written_out():
    assert written(Sequences.of([[1, 2], []])) == ["1 2", "(nothing)"]


@pytest.mark.parametrize("sees", ["all", "target"])
def test_what_speakers_say_is_a_comparison_if_they_see_all_candidates(generator, sees):
    game = ReferenceGame(torch.rand(20, 3, generator=generator), speaker_sees=sees)
    assert sees_others(SimpleNamespace(states=game), game.draw_states(8, generator)) == (sees == "all")


def test_the_cloud_keeps_the_directions_in_which_messages_differ(generator):
    messages = torch.randn(50, 4, generator=generator) * torch.tensor([0.1, 5.0, 0.1, 1.0])
    said = Speech(torch.arange(50), torch.zeros(50, 2, dtype=torch.long), messages)
    shown = cloud(said, said.first(20), dict.fromkeys(range(50), 0))
    assert len(shown["x"]) == len(shown["states"]) == len(shown["phrases"]) == 20
    assert abs(np.corrcoef(shown["x"], messages[:20, 1])[0, 1]) > 0.99
    assert shown["share"][0] > shown["share"][1] > 0


def test_a_test_without_a_number_of_bits_gives_none():
    bits = {"": float("nan"), "hue": 0.4}
    rows = [row for name in bits for row in (("p_value", name, 0.01), ("information", name, bits[name]))]
    said = verdicts(pd.DataFrame(rows, columns=["measure", "variable", "value"]))
    assert said[0] == "These messages say something about the states (permutation test, p = 0.010)."
    assert "about hue, at least 0.40 bits (permutation" in said[1]


def protocol_table(dimension):
    rows = [("effective_dimension", "", dimension), ("clusters", "", 2.0), ("information", "hue", 0.4)]
    return pd.DataFrame(rows, columns=["measure", "variable", "value"])


def test_words_that_come_back_again_and_again_are_explained_by_the_protocol():
    phrases = ["lime", "royal", "red"]
    nearly_binary = repeated([0] * 6 + [1] * 3 + [2], phrases, protocol_table(1.2))
    assert nearly_binary.startswith("90% of the test messages are translated as “lime” or “royal”.")
    assert "almost one bit" in nearly_binary
    assert "effective dimension 1.2 before noise" in nearly_binary
    assert "one bit" not in repeated([0] * 9 + [2], phrases, protocol_table(5.0))
    assert repeated([0, 1, 2] * 3 + [3, 4, 5] * 3, [*phrases, "a", "b", "c"], protocol_table(1.2)) == ""
