"""Dictionaries hold the best translations under each criterion."""

import pandas as pd
import pytest
import torch
from worlds import World

from neuralese.errors import NeuraleseError
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import build_dictionary, n_best

PHRASES = ["", "red", "green", "blue"]
UTTERANCES = ((0,), (1,), (2,), (3,), (1, 3))
BELIEF, DIRECT = {"kind": "belief", "weights": "sum", "scale": 2.0}, {"kind": "direct"}


def build(world: World, criteria: dict, n_best: int = 2) -> pd.DataFrame:
    spoken, told = [world.early, world.late], world.told(*UTTERANCES)
    return build_dictionary(world.english, told, spoken, world.vocabulary, world.candidates, criteria, n_best=n_best)


@pytest.fixture(scope="module")
def world() -> World:
    world = World(["", "red", "green", "blue"])
    world.early, world.late, world.vocabulary = world.say(6, first=10), world.say(5, first=16), world.say(10)
    return world


@pytest.fixture
def dictionary(world) -> pd.DataFrame:
    criteria = {"belief": BELIEF, "direct": DIRECT}
    return build(world, {"R->H": criteria, "H->R": criteria})


def test_ranks_follow_scores_and_ids_are_those_of_the_tables(dictionary):
    for _, rows in dictionary.groupby(["direction", "criterion", "source_id"]):
        assert rows["rank"].tolist() == [1, 2]
        assert rows["score"].is_monotonic_increasing
    to_english = dictionary[dictionary["direction"] == "R->H"]
    assert set(to_english["source_id"]) == set(range(10, 21))
    assert all(PHRASES[row.target_id] == row.target for row in to_english.itertuples())
    to_messages = dictionary[dictionary["direction"] == "H->R"]
    assert set(to_messages["target_id"]) <= set(range(10))
    texts = to_messages.set_index("source_id")["source"].to_dict()
    assert texts == {0: "(silence)", 1: "red", 2: "green", 3: "blue", 4: "red, blue"}


def test_no_message_is_translated_into_silence(world):
    every = build(world, {"R->H": {"belief": BELIEF}, "H->R": {}}, n_best=100)
    assert set(every["target_id"]) == {1, 2, 3}


def test_each_direction_has_its_own_criterion(world):
    dictionary = build(world, {"R->H": {"one": BELIEF}, "H->R": {"one": DIRECT}}, n_best=3)
    spoken, told = world.english.spoken(), world.told(*UTTERANCES)
    into_english = make_criterion(BELIEF).scores(world.early, spoken, world.candidates)
    into_neuralese = make_criterion(DIRECT).scores(told, world.vocabulary, world.candidates)
    for direction, scores, first in (("R->H", into_english, 10), ("H->R", into_neuralese, 0)):
        rows = dictionary[(dictionary["direction"] == direction) & (dictionary["source_id"] < first + len(scores))]
        expected = scores.sort(dim=1).values[:, :3].flatten().tolist()
        assert rows["score"].tolist() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("levels", [2, 5, 1000])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_the_n_best_are_the_first_of_all_sorted(levels, n, generator):
    scores = torch.randint(levels, (30, 20), generator=generator).double()
    scores[scores == levels - 1] = torch.inf
    expected = torch.sort(scores, dim=1, stable=True)
    best, values = n_best(scores, n)
    assert best.tolist() == expected.indices[:, :n].tolist()
    assert values.tolist() == expected.values[:, :n].tolist()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"kind": "telepathy"}, "there is no criterion of kind 'telepathy'; choose from belief, direct, pmi, random"),
        ({"kind": ["belief", "pmi"]}, "there is no criterion of kind"),
        ({}, "there is no criterion of kind 'None'"),
        ({"kind": "direct", "scale": [1.0, 2.0]}, "one value of 'scale', not a list"),
        ({"kind": "direct", "weights": "sum"}, "no option 'weights'; it has scale, variance, join"),
        ({"kind": "direct", "join": "sum"}, "'sum' should be 'product' or 'mean'"),
        ({"kind": "belief", "weights": "sideways"}, "'weights' of a criterion of kind 'belief': 'sideways' should"),
    ],
)
def test_an_unknown_criterion_or_option_is_refused_by_name(settings, says):
    with pytest.raises(NeuraleseError, match=says):
        make_criterion(settings)
