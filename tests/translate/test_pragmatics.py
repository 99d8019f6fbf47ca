"""Meaning as what listeners do."""

import pytest
import torch
from naive_listener import preferences
from worlds import World

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import listening
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.pragmatics import TEMPERATURE, human_responses, robot_responses


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
        _, _, memory = cell(game.blank().expand(9, -1), nothing, memory)
        torch.testing.assert_close(found, cell(seen, messages, memory)[0])


def test_phrases_to_which_humans_respond_alike_are_translations_whoever_says_them():
    world, criterion = World(["a", "b", "c"]), BeliefCriterion(weights="source", divergence="symmetric")
    listener = HumanListener(world.game, hidden=8, words=3).double()
    heard = torch.tensor([[1.0, 0, 0], [1, 0, 0], [0, 0, 5]]).double()  # a and b are heard alike
    respond = human_responses(listener, world.game, heard)
    by_response = criterion.meanings(world.english, world.candidates, respond=respond)
    scores = criterion.compare(by_response, by_response)
    assert scores[0, 1] < 1e-9 < scores[0, 2]
    assert criterion.scores(world.english, world.english, world.candidates)[0, 1] > 1e-4
