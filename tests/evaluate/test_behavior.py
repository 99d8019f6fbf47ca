"""Robots that drive with replayed humans: who moves how, who hears what, and what it is worth."""

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.evaluate.behavior import Humans, drive, evaluate_behavior, translations, ways_to_say
from neuralese.games.driving import DrivingGame
from neuralese.games.load import driving_layouts
from neuralese.games.roads import FORWARD, WAIT

MAPS = pd.DataFrame({"map": [0], "road": ["\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))]})


def turns() -> pd.DataFrame:
    """One game: car 0 drives west along row 3 in two steps, car 1 east along row 4 in three."""
    rows = []
    for turn in range(4):
        west, east = max(2 - turn, 0), min(4 + turn, 7)
        rows.append((0, turn, 0, 3, west, 3, 3, 0, west == 0, 1 if turn < 2 else 0))
        rows.append((0, turn, 1, 4, east, 1, 4, 7, east == 7, 1 if turn < 3 else None))
    columns = ["game", "turn", "player", "row", "col", "direction", "goal_row", "goal_col", "done", "action"]
    return pd.DataFrame(rows, columns=columns).astype({"action": "Int8"}).assign(map=0)


PHRASES = np.array([1, 2, 0, 2, 0, 1, 0, 0])  # said in each row of the turns; 0 is silence


@pytest.fixture
def game() -> DrivingGame:
    return DrivingGame(driving_layouts(MAPS, turns()), max_steps=6)


@pytest.fixture
def humans() -> Humans:
    return Humans.of(turns(), PHRASES, silence=0)


def robot_that(game: DrivingGame, action: int) -> Cell:
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    with torch.no_grad():
        cell.q_values.weight.zero_()
        cell.q_values.bias.copy_(torch.eye(4)[action])
    return cell


def test_both_seats_of_a_game_are_humans_with_their_own_actions_and_phrases(humans):
    assert humans.seat.tolist() == [0, 1]
    assert humans.games.tolist() == [0, 0]
    assert humans.action[:, :3].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert humans.phrase.tolist() == [[1, 0, 0, 0], [2, 2, 1, 0]]
    assert humans.phrase_at(99).tolist() == [0, 0]
    assert humans.arrives.all()


def test_a_robot_that_drives_on_completes_the_game_and_one_that_waits_does_not(game, humans, generator):
    reward, completed = drive(robot_that(game, FORWARD), game, humans, None, generator)
    assert completed.tolist() == [1, 1]
    assert reward.tolist() == pytest.approx([2 + 0.3 - 0.03] * 2)
    reward, completed = drive(robot_that(game, WAIT), game, humans, None, generator)
    assert completed.tolist() == [0, 0]
    steps = 4 + 6
    assert reward.tolist() == pytest.approx([1 + 0.1 - 0.01 * steps, 1 + 0.2 - 0.01 * steps])


def test_the_robot_hears_what_the_humans_phrases_become(game, humans, generator):
    asked, heard = [], []
    cell = robot_that(game, FORWARD)
    forward = cell.forward

    def listening(observation, incoming, memory):
        heard.append(incoming.view(2, 2, -1))
        return forward(observation, incoming, memory)

    def say(phrases):
        asked.append(phrases.tolist())
        return phrases[:, None].float().expand(-1, 4)

    cell.forward = listening
    drive(cell, game, humans, say, generator)
    assert asked[:4] == [[1, 2], [0, 2], [0, 1], [0, 0]]
    assert heard[0].abs().sum() == 0
    # in the first row the human is car 0 and the robot car 1, in the second the other way round; a step later
    assert heard[1][0, 1].tolist() == [1.0] * 4
    assert heard[1][1, 0].tolist() == [2.0] * 4


def test_every_way_of_translating_gets_a_row(game, humans, generator):
    rows = [("H->R", name, phrase, 1, 10 + phrase) for name in ("belief", "random") for phrase in range(3)]
    dictionary = pd.DataFrame(rows, columns=["direction", "criterion", "source_id", "rank", "target_id"])
    vocabulary = Speech(torch.tensor([12, 11, 10]), torch.zeros(3, 2, 3), torch.eye(3, 4))
    assert translations(dictionary, "belief", vocabulary).tolist() == torch.eye(3, 4).flip(0).tolist()
    logged = pd.DataFrame({"reward": [2.0], "completed": [True]})
    cell = robot_that(game, FORWARD)
    ways = ways_to_say(dictionary, vocabulary, generator)
    table = evaluate_behavior(cell, game, humans, logged, ways, 50, 100, generator)
    cells = list(zip(table["pair"], table["criterion"], strict=True))
    translated = [("R/H", name) for name in ("silent", "untranslated", "belief", "random")]
    assert cells == [("R/R", "none"), ("H/H", "none"), *translated]
    assert table["n"].tolist() == [50, 1, 2, 2, 2, 20]
    assert (table.loc[2:, "completion"] == 1).all()
    assert (table["possible"] == 1).all()
