"""Meaning as what listeners do."""

import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import guess
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.languages import English, Neuralese
from neuralese.translate.pragmatics import TEMPERATURE, Heeded, human_responses, robot_responses
from neuralese.translate.reading import Reading


def test_a_robot_responds_as_it_guesses(generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator))
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    messages, states = torch.randn(3, 4, generator=generator), game.draw_states(6, generator)
    log_prob = robot_responses(cell, game, messages)(game.candidates(states))
    assert log_prob.shape == (3, 6, 2)
    torch.testing.assert_close(log_prob.exp().sum(-1), torch.ones(3, 6))
    sides = [
        torch.sigmoid(guess(cell, game, messages[1].expand(6, -1), states, torch.full((6,), side)) / TEMPERATURE)
        for side in (False, True)
    ]
    picked = log_prob[1, :, 0].exp()  # the target is shown on one side or the other
    assert torch.minimum((picked - sides[0]).abs(), (picked - sides[1]).abs()).max() < 1e-4


def test_phrases_to_which_humans_respond_alike_are_translations_whoever_says_them(generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator))
    torch.manual_seed(0)
    english = English(game, HumanSpeaker(game, hidden=8, phrases=3), ["a", "b", "c"])
    listener = HumanListener(game, hidden=8, words=3)
    heard = torch.tensor([[1.0, 0, 0], [1, 0, 0], [0, 0, 5]])  # a and b are heard alike
    heeded = Heeded(english, human_responses(listener, game, heard))
    candidates = game.candidates(game.draw_states(50, generator))
    scores = BeliefCriterion("source", "symmetric").scores(heeded, heeded, candidates)
    assert scores[0, 1] < 1e-9 < scores[0, 2]
    assert BeliefCriterion("source", "symmetric").scores(english, english, candidates)[0, 1] > 1e-4


def test_how_likelihoods_are_read_changes_where_a_message_is_said_and_not_what_it_makes_listeners_do(generator):
    game = ReferenceGame(torch.randn(20, 3, generator=generator))
    torch.manual_seed(0)
    cell, robot = Cell(game, CellConfig(hidden=8, message=4)), RobotSpeaker(game, hidden=8, message=4, scale=0.3)
    messages = torch.randn(3, 4, generator=generator)
    heeded = Heeded(Neuralese(game, robot, messages, torch.arange(3)), robot_responses(cell, game, messages))
    candidates = game.candidates(game.draw_states(6, generator))
    read = heeded.read(Reading(scale=4.0))
    likely, expected = (each.log_likelihood(candidates) for each in (heeded, heeded.language.read(Reading(scale=4.0))))
    torch.testing.assert_close(read.log_beliefs(candidates, expected), heeded.log_beliefs(candidates, likely))
    assert heeded.language.log_beliefs(candidates, likely) is likely  # by Equation 1, if nobody is asked
    torch.testing.assert_close(read.log_likelihood(candidates), expected)
    assert (expected - heeded.log_likelihood(candidates)).abs().max() > 0.1
