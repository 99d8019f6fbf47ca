"""Games that are over are not played any further, and the others do not notice."""

import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.episodes import FEWEST, rounds
from neuralese.games.driving import SIZE, DrivingGame, Layouts
from neuralese.randomness import seeded

GAMES, CELL = 64, CellConfig(hidden=16, message=8, radius=2.0, noise=0.3)


@pytest.fixture
def game() -> DrivingGame:
    road = torch.ones(1, SIZE * SIZE, dtype=torch.bool)
    return DrivingGame(Layouts(road, [torch.arange(40, 80)], [torch.arange(10, 20)]), max_steps=8)


class Counted(Cell):
    """A cell that remembers of how many players it was asked."""

    def forward(self, observation, incoming, memory):
        self.asked = [*getattr(self, "asked", []), len(observation)]
        return super().forward(observation, incoming, memory)


def every_game_to_the_last_step(cell: Cell, game: DrivingGame, world, generator: torch.Generator):
    """What is seen, said and done at each step, and in which games it counts: all are played on when they are over."""
    memory, heard = cell.initial(2 * GAMES)
    over = torch.zeros(GAMES, dtype=torch.bool)
    for _ in range(game.max_steps):
        observations = game.observe(world)
        q, said, memory = cell(observations.flatten(0, 1), heard, memory)
        explore = torch.rand(GAMES, 2, generator=generator) < 0.5
        at_random = torch.randint(game.n_actions, (GAMES, 2), generator=generator)
        actions = torch.where(explore, at_random, q.view(GAMES, 2, -1).argmax(-1))
        heard = cell.channel(said.view(GAMES, 2, -1), generator).flip(1).flatten(0, 1)
        yield observations, said.view(GAMES, 2, -1), actions, ~over
        world, outcome = game.step(world, actions)
        over = over | outcome.done


def test_what_happens_in_a_game_does_not_depend_on_which_others_are_over(game, generator):
    cell = seeded(lambda: Counted(game, CELL), generator)
    world, state = game.reset(GAMES, generator), generator.get_state()
    with torch.no_grad():
        naive = list(every_game_to_the_last_step(cell, game, world, generator))
    after, cell.asked = torch.rand(3, generator=generator), []
    generator.set_state(state)
    played = list(rounds(cell, game, world, generator, epsilon=0.5))
    assert torch.equal(torch.rand(3, generator=generator), after)
    for ours, (observations, said, actions, going_on) in zip(played, naive, strict=True):
        assert torch.equal(ours.observations[going_on], observations[going_on])
        assert torch.equal(ours.actions[going_on], actions[going_on])
        torch.testing.assert_close(ours.said[going_on], said[going_on])
    going_on = [int(each.sum()) for *_, each in naive]
    assert going_on[-1] < GAMES
    assert cell.asked == [2 * max(each, FEWEST) for each in going_on]
