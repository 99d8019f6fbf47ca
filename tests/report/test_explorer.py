"""What the page shows of one task and seed: its dictionary, its messages, and what they say."""

import json

import numpy as np
import pandas as pd
import torch

from neuralese.agents.messages import Speech
from neuralese.games.reference import ReferenceGame
from neuralese.report.explorer import cloud, explore, repeated, verdicts
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.languages import English, Neuralese


def languages(generator, candidates=2):
    torch.manual_seed(0)
    game = ReferenceGame(torch.rand(20, 3, generator=generator), n_candidates=candidates)
    robot, human = RobotSpeaker(game, 8, 4, 0.3), HumanSpeaker(game, 8, 3)
    english = English(game, human, ["red", "green", "blue"])
    said = Neuralese(game, robot, torch.randn(6, 4, generator=generator), torch.arange(10, 16))
    return game, english, said


def entry(direction, criterion, source, target, score=1.0, new=False, text=""):
    return {
        "direction": direction,
        "criterion": criterion,
        "source_id": source,
        "source": text,
        "rank": 1,
        "target_id": target,
        "score": score,
        "new": new,
    }


def test_the_explorer_holds_the_beliefs_of_all_that_it_offers(generator):
    game, english, said = languages(generator)
    bags = pd.DataFrame({"bag_id": [0, 1], "text": ["red", "red, blue"], "parts": [[0], [0, 2]]})
    rows = [entry("R->H", "mine", 10, 2), entry("R->H", "mine", 99, 1), entry("H->R", "mine", 0, 12, np.inf)]
    rows += [entry("R->H", "synthesis", 10, 1, new=True), entry("H->R", "synthesis", 0, 14, new=True, text="red")]
    rows += [entry("H->R", "mine", 3, 13, text="red, blue"), entry("H->R", "judge", 3, 15, new=True, text="red, blue")]
    states = game.draw_states(5, generator)
    values = explore(pd.DataFrame(rows), game.candidates(states), english, said, said, said, bags)
    by_name = {(each["criterion"], each["direction"]): each for each in values["translations"]}
    assert by_name["mine", "R->H"]["best"] == {10: [[2, 1.0]]}  # 99 is not among the messages to look up
    assert by_name["mine", "H->R"]["best"] == {0: [[12, None]]}  # nor are utterances of several phrases
    assert ("judge", "H->R") not in by_name
    kinds = {name: each["kind"] for name, each in by_name.items()}
    assert kinds == {
        ("mine", "R->H"): "phrase",
        ("mine", "H->R"): "message",
        ("synthesis", "R->H"): "bag",
        ("synthesis", "H->R"): "new",
    }
    for each in values["translations"]:
        for targets in each["best"].values():
            assert all(len(values["beliefs"][each["kind"]][target]) == 5 for target, _ in targets)
    assert values["bags"] == {1: "red, blue"}
    assert values["made_for"] == {14: "red"}
    log_prob = english.log_likelihood(game.candidates(states))[0]
    expected = (100 * log_prob.softmax(-1)[:, 0]).round().int().tolist()
    assert values["beliefs"]["phrase"][0] == expected
    json.dumps(values, allow_nan=False)


def test_the_explorer_shows_how_likely_the_true_one_of_several_is(generator):
    game, english, said = languages(generator, candidates=4)
    candidates = game.candidates(game.draw_states(5, generator))
    bags = pd.DataFrame({"bag_id": [], "text": [], "parts": []})
    values = explore(pd.DataFrame([entry("R->H", "mine", 10, 2)]), candidates, english, said, said, said, bags)
    log_prob = said.log_likelihood(candidates)[0]
    assert log_prob.shape == (5, 4)
    assert values["beliefs"]["message"][10] == (100 * log_prob.softmax(-1)[:, 0]).round().int().tolist()


def test_the_cloud_keeps_the_directions_in_which_messages_differ(generator):
    messages = torch.randn(50, 4, generator=generator) * torch.tensor([0.1, 5.0, 0.1, 1.0])
    said = Speech(torch.arange(50), torch.zeros(50, 2, dtype=torch.long), messages)
    shown = cloud(said, dict.fromkeys(range(50), 0), count=20)
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
