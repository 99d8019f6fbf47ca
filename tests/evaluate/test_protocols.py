"""Where distractors come from: our protocol, and the easier one of the released driving game."""

from dataclasses import replace

import pandas as pd
import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way, evaluate_belief
from neuralese.evaluate.listeners import Listeners
from neuralese.evaluate.protocols import under_every_protocol
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.games.game import Game
from neuralese.speakers.models import HumanListener, RobotSpeaker

ROAD = torch.zeros(8, 8, dtype=torch.bool)
ROAD[3:5] = True
# cars start at the west end of the road and want to its east end: half of the road is never seen in play
STARTS = torch.tensor([4 * (8 * row + column) + 1 for row in (3, 4) for column in (0, 1)])
LAYOUTS = Layouts(ROAD.flatten()[None], [STARTS], [torch.tensor([31, 39])])
ITEMS = 400
KEYS = ["speaker", "listener", "unit", "criterion"]


class Local(HumanListener):
    """Understands one word, which means: at the west end."""

    def score(self, observations, bags):
        return bags[:, 0] * (observations[:, 1] // 4 % 8 <= 1)


def listeners(game: Game) -> Listeners:
    torch.manual_seed(0)
    cell, speaker = Cell(game, CellConfig(hidden=8, message=4)), RobotSpeaker(game, hidden=8, message=4, scale=0.3)
    return Listeners.of(game, cell, speaker, Local(game, hidden=4, words=2))


def speeches(game: DrivingGame, generator: torch.Generator) -> tuple[Speech, HumanSpeech, list[Way]]:
    own = game.observe(game.reset(ITEMS, generator))[:, 0]
    states = game.with_distractors(own, generator)
    number, bags = torch.arange(ITEMS), torch.eye(2)[torch.zeros(ITEMS, dtype=torch.long)]
    units = {"utterance": torch.zeros(ITEMS, dtype=torch.long)}
    messages = torch.randn(ITEMS, 4, generator=generator)
    ways = [Way("mine", "mine (ours)", "ours", "belief", bags, {"utterance": messages})]
    return Speech(number, states, messages), HumanSpeech(states, bags, units, number, number), ways


def played(game: DrivingGame, generator: torch.Generator) -> pd.DataFrame:
    robot, human, ways = speeches(game, generator)
    return under_every_protocol(listeners(game), robot, human, ways, 100, torch.Generator().manual_seed(1))


def test_the_driving_game_is_evaluated_again_with_distractors_anywhere(generator):
    table = played(DrivingGame(LAYOUTS), generator)
    assert list(dict.fromkeys(table["distractors"])) == ["play", "anywhere"]  # the game's own come first
    own, anywhere = (table[table["distractors"] == name] for name in ("play", "anywhere"))
    assert own[KEYS].values.tolist() == anywhere[KEYS].values.tolist()


def test_only_the_distractors_are_others(generator):
    game = DrivingGame(LAYOUTS)
    robot, human, ways = speeches(game, generator)
    who = listeners(game)
    whole = under_every_protocol(who, robot, human, ways, 100, torch.Generator().manual_seed(1))
    random = torch.Generator().manual_seed(1)
    own = evaluate_belief(who, robot, human, ways, 100, random)
    pd.testing.assert_frame_equal(whole[whole["distractors"] == "play"].drop(columns="distractors"), own)
    robot, human = (replace(each, states=game.anywhere(each.states[:, 0], random)) for each in (robot, human))
    anywhere = evaluate_belief(who, robot, human, ways, 100, random)
    second = whole[whole["distractors"] == "anywhere"].drop(columns="distractors").reset_index(drop=True)
    pd.testing.assert_frame_equal(second, anywhere)


def test_distractors_anywhere_are_easier_so_that_even_the_words_of_another_message_help(generator):
    table = played(DrivingGame(LAYOUTS), generator).set_index(["distractors", *KEYS])["accuracy"]
    shuffled = ("H", "H*", "utterance", "shuffled")
    assert table["play", *shuffled] == 0.5  # true state and distractor are both at the west end
    assert table["anywhere", *shuffled] > 0.8


def test_a_reference_game_has_its_own_distractors_alone(task):
    ways = [Way("mine", "mine (ours)", "ours", "belief", torch.rand(len(task.said.ids), 5))]
    table = under_every_protocol(task.listeners, task.said, task.speech, ways, 100, task.generator)
    assert set(table["distractors"]) == {"play"}
    assert not table.duplicated(KEYS).any()


def test_a_driving_game_that_draws_them_anywhere_itself_is_evaluated_once(generator):
    table = played(DrivingGame(LAYOUTS, distractors="anywhere"), generator)
    assert set(table["distractors"]) == {"anywhere"}
    assert not table.duplicated(KEYS).any()


@pytest.mark.parametrize("name", ["play", "anywhere"])
def test_the_listener_of_the_driving_game_is_the_robots_model(name, generator):
    table = played(DrivingGame(LAYOUTS, distractors=name), generator)
    assert set(table["listener"]) == {"R*", "H*"}
