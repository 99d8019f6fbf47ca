"""Meaning as what listeners do."""

import pytest
import torch
from naive_listener import preferences

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import listening
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import BeliefCriterion, Reading
from neuralese.translate.languages import English, Neuralese
from neuralese.translate.pragmatics import TEMPERATURE, Pragmatic, human_responses, log_picks, robot_responses


def nearest(found: torch.Tensor, cell: Cell, game: ReferenceGame, message: torch.Tensor, states: torch.Tensor) -> float:
    """How far choices (n, s) are from those of the naive robot, wherever the target was shown."""
    hears = message.expand(len(states), -1)
    places = [torch.full((len(states),), place) for place in range(game.n_candidates)]
    naive = [
        torch.softmax(preferences(cell, game, hears, states, place) / TEMPERATURE, dim=1).log() for place in places
    ]
    away = torch.stack([(found - each).abs().max(1).values for each in naive])
    return float(away.min(0).values.max())


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_robot_responds_as_it_guesses(count, generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator), n_candidates=count)
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    messages, states = torch.randn(3, 4, generator=generator), game.draw_states(6, generator)
    log_prob = robot_responses(cell, game, messages)(game.candidates(states))
    assert log_prob.shape == (3, 6, count)
    torch.testing.assert_close(log_prob.exp().sum(-1), torch.ones(3, 6))
    for number, message in enumerate(messages):
        assert nearest(log_prob[number], cell, game, message, states) < 1e-4


@pytest.mark.parametrize("count", [2, 4])
def test_picks_are_a_softmax_of_how_much_each_candidate_is_preferred(count, generator):
    preferred = 5 * torch.randn(3, 7, count, dtype=torch.float64, generator=generator)
    found = log_picks(preferred[..., :1] - preferred[..., 1:])
    torch.testing.assert_close(found, torch.log_softmax(preferred, dim=-1))
    torch.testing.assert_close(found.exp().sum(-1), torch.ones(3, 7, dtype=torch.float64))


@pytest.mark.parametrize("count", [2, 3])
def test_half_of_the_memory_is_worked_out_once_and_the_q_values_are_those_of_the_cell(count, generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator), n_candidates=count)
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4)).double()
    messages = torch.randn(9, 4, generator=generator, dtype=torch.float64)
    seen = game.listener_view(game.draw_states(9, generator), game.places(9, generator))
    with torch.no_grad():
        found = listening(cell, game)(torch.tanh(cell.encode_observation(seen) + cell.encode_message(messages)))
        memory, nothing = (each.double() for each in cell.initial(9))
        _, _, memory = cell(game.blank_view(9), nothing, memory)
        torch.testing.assert_close(found, cell(seen, messages, memory)[0])


def test_phrases_to_which_humans_respond_alike_are_translations_whoever_says_them(generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator))
    torch.manual_seed(0)
    english = English(game, HumanSpeaker(game, hidden=8, phrases=3), ["a", "b", "c"])
    listener = HumanListener(game, hidden=8, words=3)
    heard = torch.tensor([[1.0, 0, 0], [1, 0, 0], [0, 0, 5]])  # a and b are heard alike
    pragmatic = Pragmatic(english, human_responses(listener, game, heard))
    candidates = game.candidates(game.draw_states(50, generator))
    scores = BeliefCriterion(weights="source", divergence="symmetric").scores(pragmatic, pragmatic, candidates)
    assert scores[0, 1] < 1e-9 < scores[0, 2]
    assert BeliefCriterion(weights="source", divergence="symmetric").scores(english, english, candidates)[0, 1] > 1e-4


def test_how_likelihoods_are_read_changes_where_a_message_is_said_and_not_what_it_makes_listeners_do(generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator))
    torch.manual_seed(0)
    cell, robot = Cell(game, CellConfig(hidden=8, message=4)), RobotSpeaker(game, hidden=8, message=4, scale=0.3)
    messages = torch.randn(3, 4, generator=generator)
    pragmatic = Pragmatic(Neuralese(game, robot, messages, torch.arange(3)), robot_responses(cell, game, messages))
    candidates = game.candidates(game.draw_states(6, generator))
    read = pragmatic.read(Reading(scale=4.0))
    likely, expected = (
        each.log_likelihood(candidates) for each in (pragmatic, pragmatic.language.read(Reading(scale=4.0)))
    )
    torch.testing.assert_close(read.log_beliefs(candidates, expected), pragmatic.log_beliefs(candidates, likely))
    assert pragmatic.language.log_beliefs(candidates, likely) is likely  # by Equation 1, if nobody is asked
    torch.testing.assert_close(read.log_likelihood(candidates), expected)
    assert (expected - pragmatic.log_likelihood(candidates)).abs().max() > 0.1
