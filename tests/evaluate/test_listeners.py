"""Who guesses the speaker's state, and what a guess is worth."""

import numpy as np
import pytest
import torch
from naive_listener import preferences

from neuralese.agents.cell import Cell, CellConfig
from neuralese.evaluate.listeners import Listeners, ModelRobot, PlayingRobot, credit
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.games.reference import ReferenceGame
from neuralese.games.states import Game
from neuralese.speakers.models import HumanListener, RobotSpeaker

COUNTS = [2, 3, 5]  # of candidates


class Oracle(HumanListener):
    """Knows that word k describes item k."""

    def fits(self, observations):
        return torch.nn.functional.one_hot(observations[:, 0], self.settings["words"])


def players(game: Game, seed: int = 0) -> tuple[Cell, RobotSpeaker, HumanListener]:
    torch.manual_seed(seed)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    return cell, RobotSpeaker(game, hidden=8, message=4, scale=0.3), HumanListener(game, hidden=4, words=5)


def reference_of(candidates: int) -> ReferenceGame:
    items = torch.randn(20, 3, generator=torch.Generator().manual_seed(0))
    return ReferenceGame(items, n_candidates=candidates)


def driving_of(candidates: int) -> DrivingGame:
    road = torch.zeros(8, 8, dtype=torch.bool)
    road[3:5] = True
    layouts = Layouts(road.flatten()[None], [torch.arange(96, 160)], [torch.arange(24, 40)])
    return DrivingGame(layouts, n_candidates=candidates)


@pytest.fixture(params=COUNTS)
def reference(request) -> ReferenceGame:
    return reference_of(request.param)


@pytest.fixture(params=COUNTS)
def driving(request) -> DrivingGame:
    return driving_of(request.param)


def drawn(game: Game, n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Messages and states."""
    if isinstance(game, ReferenceGame):
        states = game.draw_states(n, generator)
    else:
        own = game.observe(game.reset(n, generator))[:, 0]
        states = game.with_distractors(own, generator)
    return torch.randn(n, 4, generator=generator), states


def test_in_a_reference_game_the_robot_itself_is_asked(reference, generator):
    cell, speaker, human = players(reference)
    listeners = Listeners.of(reference, cell, speaker, human)
    assert listeners.robot.name == "R"
    messages, states = drawn(reference, 200, generator)
    seed = torch.Generator().manual_seed
    guessed = listeners.robot.preferences(messages, states, seed(1))
    torch.testing.assert_close(guessed, PlayingRobot(cell, reference).preferences(messages, states, seed(1)))
    # p(z | x), by which is translated, has no part in it
    other = Listeners.of(reference, cell, players(reference, seed=7)[1], human)
    assert torch.equal(other.robot.preferences(messages, states, seed(1)), guessed)


def test_in_the_driving_game_the_model_of_what_the_robot_says_stands_for_it(driving, generator):
    cell, speaker, human = players(driving)
    listeners = Listeners.of(driving, cell, speaker, human)
    assert listeners.robot.name == "R*"
    messages, states = drawn(driving, 200, generator)
    with torch.no_grad():
        likely = [
            [float(speaker.log_prob(z[None], x[None])) for x in candidates]
            for z, candidates in zip(messages, states, strict=True)
        ]
    # drawn distractors may be equal to each other, but not to the true state
    expected = np.array([float(true > max(others)) for true, *others in likely])
    assert listeners.robot.credit(messages, states, generator).tolist() == expected.tolist()
    assert 0 < expected.mean() < 1
    # the robot that plays has no part in it
    other = Listeners.of(driving, players(driving, seed=7)[0], speaker, human)
    assert other.robot.credit(messages, states, generator).tolist() == expected.tolist()


def test_guesses_are_those_of_the_robot_that_plays_from_the_start(reference, generator):
    cell, _, _ = players(reference)
    messages, states = drawn(reference, 30, generator)
    guessed = PlayingRobot(cell, reference).preferences(messages, states, torch.Generator().manual_seed(1))
    place = reference.places(30, torch.Generator().manual_seed(1))
    assert guessed.shape == (30, reference.n_candidates)
    torch.testing.assert_close(guessed, preferences(cell, reference, messages, states, place))


def test_a_right_guess_is_worth_one_a_wrong_one_nothing_and_who_is_indifferent_shares_the_credit():
    game = ReferenceGame(torch.eye(5), n_candidates=3)
    cell, speaker, _ = players(game)
    listeners = Listeners.of(game, cell, speaker, Oracle(game, hidden=4, words=5))
    said = [[0], [2], [4], [0, 1], [1, 2], []]  # of the items
    bags = torch.stack([torch.eye(5)[words].sum(0) for words in said])
    credits = listeners.human.credit(bags, torch.tensor([[0, 1, 2]]).expand(6, -1))
    assert credits.tolist() == pytest.approx([1, 0, 1 / 3, 1 / 2, 0, 1 / 3])


@pytest.mark.parametrize("count", COUNTS)
def test_credit_is_what_a_guess_among_the_best_brings_on_average(count, generator):
    preference = torch.randint(3, (1000, count), generator=generator).double()
    expected = []
    for row in preference.tolist():
        best = [number for number, value in enumerate(row) if value == max(row)]
        expected.append(sum(number == 0 for number in best) / len(best))
    assert credit(preference).tolist() == pytest.approx(expected)
    assert len({round(each, 6) for each in expected}) == count + 1  # ties of every size


def test_silence_is_at_chance(reference, generator):
    """A human who hears nothing is indifferent; a robot may have its favourites, but these are as often wrong."""
    cell, speaker, human = players(reference)
    listeners = Listeners.of(reference, cell, speaker, human)
    _, states = drawn(reference, 9000, generator)
    chance = 1 / reference.n_candidates
    assert listeners.human.credit(torch.zeros(9000, 5), states).tolist() == pytest.approx([chance] * 9000)
    guessed = listeners.robot.credit(torch.zeros(9000, 4), states, generator)
    assert guessed.mean() == pytest.approx(chance, abs=0.02)
    assert guessed.std() > 0.3  # it does pick one


def test_nobody_can_tell_which_of_the_candidates_is_true_but_by_the_message(driving, generator):
    """Whoever prefers a candidate whatever is said is at chance: distractors are drawn as the true state is."""
    _, speaker, _ = players(driving)
    _, states = drawn(driving, 9000, generator)
    guessed = ModelRobot(speaker, driving).credit(torch.zeros(9000, 4), states, generator)
    assert guessed.mean() == pytest.approx(1 / driving.n_candidates, abs=0.03)
