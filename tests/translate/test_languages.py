"""How criteria take the likelihoods of a language: how wide p(z | x) is, and what phrases said together are."""

import math

import pytest
import torch

from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import Reading
from neuralese.translate.languages import Composed, English, Neuralese

NOISE = 0.3


@pytest.fixture
def game(generator) -> ReferenceGame:
    torch.manual_seed(0)
    return ReferenceGame(torch.randn(20, 3, generator=generator))


@pytest.fixture
def neuralese(game, generator) -> Neuralese:
    robot = RobotSpeaker(game, hidden=8, message=5, scale=NOISE)
    return Neuralese(game, robot, torch.randn(4, 5, generator=generator), torch.arange(4))


@pytest.fixture
def english(game) -> English:
    return English(game, HumanSpeaker(game, hidden=8, phrases=4, silence=0), ["", "red", "green", "light"])


@pytest.mark.parametrize(
    ("reading", "width"),
    [
        (Reading(), NOISE),
        (Reading(scale=4.0), 4 * NOISE),
        (Reading(variance=0.5), math.sqrt(0.5)),
        (Reading(scale=4.0, variance=0.5), math.sqrt(0.5)),  # whatever the noise
    ],
)
def test_a_robots_messages_are_gaussian_and_as_wide_as_they_are_read(game, neuralese, generator, reading, width):
    candidates = game.candidates(game.draw_states(6, generator))
    with torch.no_grad():
        means = neuralese.speaker.mean(game.speaker_view(candidates.flatten(0, 1))).unflatten(0, (6, 2))
    normal = torch.distributions.Normal(means, width)
    expected = torch.stack([normal.log_prob(message).sum(-1) for message in neuralese.messages])
    read = neuralese.read(reading)
    torch.testing.assert_close(read.log_likelihood(candidates), expected.double(), rtol=1e-4, atol=1e-3)
    assert reading.width(NOISE) == pytest.approx(width)
    assert torch.equal(read.messages, neuralese.messages)
    # reading what was read forgets the first reading
    assert torch.equal(
        read.read(Reading()).log_likelihood(candidates), neuralese.read(Reading()).log_likelihood(candidates)
    )


def test_phrases_said_together_are_read_as_a_product_or_as_its_geometric_mean(game, english, generator):
    candidates = game.candidates(game.draw_states(7, generator))
    bags = Composed(english, ((1,), (1, 3), (1, 2, 3)))
    single = english.log_likelihood(candidates)
    product = torch.stack([single[1], single[1] + single[3], single[1] + single[2] + single[3]])
    torch.testing.assert_close(bags.read(Reading()).log_likelihood(candidates), product)
    mean = product / torch.tensor([1, 2, 3])[:, None, None]
    torch.testing.assert_close(bags.read(Reading(join="mean")).log_likelihood(candidates), mean)
    torch.testing.assert_close(bags.read(Reading(scale=9.0, variance=7.0)).log_likelihood(candidates), product)


def test_single_phrases_are_always_read_alike(game, english, generator):
    candidates = game.candidates(game.draw_states(7, generator))
    read = english.read(Reading(scale=3.0, variance=0.1, join="mean"))
    assert torch.equal(read.log_likelihood(candidates), english.log_likelihood(candidates))


def test_silence_has_a_name_and_is_not_among_what_may_be_said_for_a_message(english):
    assert english.texts() == ["(silence)", "red", "green", "light"]
    assert english.spoken().ids.tolist() == [1, 2, 3]
    assert Composed(english, ((0,), (1, 3))).texts() == ["(silence)", "red, light"]
