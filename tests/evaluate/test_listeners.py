"""Who guesses the speaker's state, and what a guess is worth."""

import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import guess
from neuralese.evaluate.listeners import Listeners, guess_by_likelihood, guess_by_playing
from neuralese.games.driving import DrivingGame
from neuralese.games.game import Game
from neuralese.games.reference import ReferenceGame, coins
from neuralese.games.roads import Layouts
from neuralese.speakers.models import HumanListener, RobotSpeaker


class Oracle(HumanListener):
    """Knows that word k describes item k."""

    def score(self, observations, bags):
        return bags.gather(1, observations[:, :1]).squeeze(1)


def players(game: Game, seed: int = 0) -> tuple[Cell, RobotSpeaker, HumanListener]:
    torch.manual_seed(seed)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    return cell, RobotSpeaker(game, hidden=8, message=4, scale=0.3), HumanListener(game, hidden=4, words=5)


@pytest.fixture
def reference(generator) -> ReferenceGame:
    return ReferenceGame(torch.randn(20, 3, generator=generator))


@pytest.fixture
def driving() -> DrivingGame:
    road = torch.zeros(8, 8, dtype=torch.bool)
    road[3:5] = True
    return DrivingGame(Layouts(road.flatten()[None], [torch.arange(96, 160)], [torch.arange(24, 40)]))


def drawn(game: Game, n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Messages and states."""
    if isinstance(game, ReferenceGame):
        states = game.draw_states(n, generator)
    else:
        world = game.reset(n, generator)
        own = game.observe(world)[:, 0]
        states = game.redraw(torch.stack([own, own], dim=1), generator)
    return torch.randn(n, 4, generator=generator), states


def test_in_a_reference_game_the_robot_itself_is_asked(reference, generator):
    cell, speaker, human = players(reference)
    listeners = Listeners.of(reference, cell, speaker, human)
    assert listeners.name == "R"
    messages, states = drawn(reference, 200, generator)
    seed = torch.Generator().manual_seed
    guessed = listeners.robot(messages, states, seed(1))
    torch.testing.assert_close(guessed, guess_by_playing(cell, reference)(messages, states, seed(1)))
    # p(z | x), by which is translated, has no part in it
    other = Listeners.of(reference, cell, players(reference, seed=7)[1], human)
    assert torch.equal(other.robot(messages, states, seed(1)), guessed)


def test_in_the_driving_game_the_model_of_what_the_robot_says_stands_for_it(driving, generator):
    cell, speaker, human = players(driving)
    listeners = Listeners.of(driving, cell, speaker, human)
    assert listeners.name == "R*"
    messages, states = drawn(driving, 200, generator)
    with torch.no_grad():
        likely = [
            torch.stack([speaker.log_prob(z[None], x[None])[0, 0] for z, x in zip(messages, side, strict=True)])
            for side in states.unbind(1)
        ]
    expected = (likely[0] > likely[1]).double().numpy()
    assert listeners.robot_credit(messages, states, generator).tolist() == expected.tolist()
    assert 0 < expected.mean() < 1
    # the robot that plays has no part in it
    other = Listeners.of(driving, players(driving, seed=7)[0], speaker, human)
    assert other.robot_credit(messages, states, generator).tolist() == expected.tolist()


def test_guesses_are_those_of_the_robot_that_plays_from_the_start(reference, generator):
    cell, _, _ = players(reference)
    messages, states = drawn(reference, 6, generator)
    guessed = guess_by_playing(cell, reference)(messages, states, torch.Generator().manual_seed(1))
    right = coins(6, torch.Generator().manual_seed(1))
    torch.testing.assert_close(guessed, guess(cell, reference, messages, states, right))


def test_what_the_robot_says_itself_is_understood_by_likelihood(driving, generator):
    _, speaker, _ = players(driving)
    _, states = drawn(driving, 100, generator)
    with torch.no_grad():
        said = speaker.mean(states[:, 0])
    assert (guess_by_likelihood(speaker, driving)(said, states, generator) > 0).all()


def test_a_right_guess_is_worth_one_a_wrong_one_nothing_and_indifference_a_half():
    game = ReferenceGame(torch.eye(5))
    cell, speaker, _ = players(game)
    listeners = Listeners.of(game, cell, speaker, Oracle(game, hidden=4, words=5))
    states = torch.tensor([[0, 1], [0, 1], [0, 1]])
    assert listeners.human_credit(torch.eye(5)[[0, 1, 4]], states).tolist() == [1, 0, 0.5]
