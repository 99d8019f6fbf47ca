"""A table of meanings, scored by the same criteria with NumPy, gives the scores of the dictionary."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import torch
import yaml

from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import DIVERGENCES, WEIGHTS, make_criterion
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.meanings import read_meanings, write_meanings
from neuralese.translate.pairs import DOUBLE, SINGLE

CRITERIA = yaml.safe_load((Path(__file__).parents[2] / "config/config.yaml").read_text())["criteria"]
BELIEF = [
    {"kind": "belief", "weights": weights, "divergence": divergence, "scale": scale, "prior": prior}
    for (weights, divergence), (scale, prior) in zip(
        product(WEIGHTS, DIVERGENCES), [(1.0, 0.0), (0.2, 0.5)] * 10, strict=True
    )
]
SETTINGS = [
    *BELIEF,
    {"kind": "belief"},
    {"kind": "belief", "prior": 0.3},
    {"kind": "direct"},
    {"kind": "direct", "scale": 2.0, "join": "mean"},
    {"kind": "pmi"},
    {"kind": "pmi", "variance": 0.2},
    CRITERIA["algorithm-1"],
    CRITERIA["released"],  # with a variance of its own, and phrases joined by their mean
    {"kind": "belief", "weights": "sum", "variance": 2.0, "scale": 5.0},  # the variance goes before the scale
    {"kind": "belief", "weights": "target", "divergence": "symmetric", "join": "mean", "scale": 2.0},
]


@pytest.fixture
def spoken(generator):
    """A game, its two languages with sharp beliefs, and contexts."""
    torch.manual_seed(0)
    game = ReferenceGame(torch.randn(40, 3, generator=generator))
    speaker = HumanSpeaker(game, hidden=8, phrases=4)
    with torch.no_grad():
        speaker.logits.phrases.weight.mul_(30)
    robot = RobotSpeaker(game, hidden=8, message=5, scale=0.3)
    messages = torch.randn(9, 5, generator=generator)
    candidates = game.candidates(game.draw_states(60, generator))
    phrases = ["red", "green", "blue", "light"]
    return English(game, speaker, phrases), Neuralese(game, robot, messages, torch.arange(9)), candidates


@pytest.fixture
def meanings(spoken, tmp_path):
    english, neuralese, candidates = spoken
    write_meanings(tmp_path / "meanings.parquet", english, neuralese, candidates)
    return read_meanings(tmp_path / "meanings.parquet")


BAGS = [[0], [1, 3], [2], [0, 1, 2]]


@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda each: "-".join(map(str, each.values())))
def test_scores_are_those_of_the_languages_in_both_directions(spoken, meanings, settings, dtype):
    english, neuralese, candidates = spoken
    composed, criterion = Composed(english, tuple(map(tuple, BAGS))), make_criterion(settings)
    phrases, messages = meanings.phrases(BAGS), meanings.messages(neuralese.messages.numpy())
    for tabled, modelled in (
        ((phrases, messages), (composed, neuralese)),
        ((messages, phrases), (neuralese, composed)),
    ):
        found = criterion.scores(*tabled, meanings.candidates, block=16, dtype=dtype)
        expected = criterion.scores(*modelled, candidates, block=16, dtype=dtype)
        assert isinstance(found, np.ndarray)
        assert str(found.dtype) == str(expected.dtype).removeprefix("torch.")
        np.testing.assert_allclose(found, expected.numpy(), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("one", "other"),
    [({"variance": 0.5}, {"variance": 0.2}), ({"join": "mean"}, {"join": "product"}), ({"scale": 1.0}, {"scale": 2.0})],
)
def test_how_likelihoods_are_taken_changes_the_scores(spoken, meanings, one, other):
    languages = meanings.phrases(BAGS), meanings.messages(spoken[1].messages.numpy())
    found = [
        make_criterion({"kind": "belief", **each}).scores(*languages, meanings.candidates) for each in (one, other)
    ]
    assert np.abs(found[0] - found[1]).max() > 0.01


def test_the_first_contexts_alone_are_those_of_the_table(spoken, meanings):
    english, _, candidates = spoken
    first = meanings.first(7)
    expected = english.log_likelihood(candidates[:7])
    found = first.phrases([[0], [1], [2], [3]]).log_likelihood(first.candidates)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-6)
    assert len(meanings.first(None).candidates) == len(candidates)


def test_a_pair_that_shares_no_context_ranks_last_and_nobody_is_warned(meanings, recwarn):
    apart = replace(
        meanings,
        message=np.repeat(np.float32([[0.0], [9.0]]), meanings.candidates.size // 2, axis=0),
        log_phrases=np.zeros((meanings.candidates.size, 1), np.float32),
        noise=0.01,
    )
    near, far = apart.messages(np.float32([[0.0]])), apart.messages(np.float32([[9.0]]))
    for settings in ({"kind": "belief", "weights": "product"}, {"kind": "direct"}, {"kind": "pmi"}):
        score = make_criterion(settings).scores(near, far, apart.candidates)
        assert score.item() == np.inf
    assert not recwarn.list
