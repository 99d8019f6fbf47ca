"""Robots that drive with humans: who moves how, and who hears what."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from small_driving import CRITERIA, HEARD, ROAD, SILENCE, logged_turns, small_cell, small_game, small_run

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.evaluate.outcomes import Condition
from neuralese.evaluate.relay import PhraseMessages
from neuralese.games.driving import FORWARD, WAIT, DrivingGame, Layouts
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.behavior import (
    REPEATED,
    SPOKEN,
    DictionaryChannel,
    choose_silence,
    dictionary_channel,
    replayed_outcomes,
    replayed_pair,
)
from neuralese.tasks.driving.channels import HumanChannel, Translator, silence
from neuralese.tasks.driving.human import Humans, load_humans
from neuralese.tasks.driving.logs import layouts
from neuralese.tasks.driving.loop import Pair, Robot, Start
from neuralese.tasks.driving.model_human import HumanDriver, ModelHuman
from neuralese.tasks.driving.tables import GAMES, TURNS

SAID = np.array([1, 2, 0, 2, 0, 1, 0, 0])  # the utterance in each row of the turns; 0 is silence
WEST, EAST = 3, 1


@pytest.fixture
def game() -> DrivingGame:
    maps = layouts(pd.DataFrame({"map": [0], "road": [ROAD]}), logged_turns())
    return DrivingGame(Layouts.of(maps["road"], maps["starts"], maps["goals"]), max_steps=10)


@pytest.fixture
def humans() -> Humans:
    return Humans.of(logged_turns(), SAID, silence=0)


def robot_that(game: DrivingGame, action: int) -> Robot:
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    with torch.no_grad():
        cell.q_values.weight.zero_()
        cell.q_values.bias.copy_(torch.eye(4)[action])
    return Robot(cell)


def test_both_seats_of_a_game_are_humans_with_their_own_actions_and_utterances(humans):
    assert (humans.world.pose % 4).tolist() == [[EAST, WEST], [WEST, EAST]]  # the human drives the second car
    assert humans.games.tolist() == [0, 0]
    assert humans.action[:, :3].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert humans.utterance.tolist() == [[1, 0, 0, 0], [2, 2, 1, 0]]
    assert humans.arrives.all()


@pytest.mark.parametrize(
    ("said", "repeated"),
    [(SAID, [[1, 1, 1, 1], [2, 2, 1, 1]]), (np.array([0, 0, 0, 2, 1, 0, 0, 0]), [[0, 0, 1, 1], [0, 2, 2, 2]])],
)
def test_humans_who_repeat_themselves_say_their_last_words_again_and_nothing_before_the_first(said, repeated):
    assert Humans.of(logged_turns(), said, silence=0).repeating().utterance.tolist() == repeated


def test_a_whole_utterance_is_said_by_one_number_and_what_has_no_phrase_is_silence(tmp_path):
    games = pd.DataFrame({"game": [0, 1], "map": 0, "split": ["test", "train"], "completed": True, "reward": 1.0})
    played = pd.concat([logged_turns().assign(game=number) for number in (0, 1)], ignore_index=True)
    # row 8 is of the training game
    traces = pd.DataFrame({"item_id": [0, 1, 3, 8], "phrases": [[2, 1, 2], [], [1], [1, 2]]})
    files = {name: tmp_path / name for name in ("games.parquet", "turns.parquet", "traces.parquet")}
    write_table(files["games.parquet"], games.assign(n_turns=4), GAMES)
    write_table(files["turns.parquet"], played.assign(message=""), TURNS)
    write_table(files["traces.parquet"], traces, "traces")
    found = load_humans(files, "test", parts=((0,), (1,), (2,), (1, 2)), silence=0)
    assert found.games.tolist() == [0, 0]
    # rows of the turns are of car 0 and of car 1 in turn
    assert found.utterance.tolist() == [[3, 0, 0, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize(
    ("action", "completion", "reward"),
    [(FORWARD, [1, 1], [2 + 0.3 - 0.03] * 2), (WAIT, [0, 0], [1 + 0.1 - 0.01 * 10, 1 + 0.2 - 0.01 * 10])],
)
def test_only_a_robot_that_drives_on_completes_the_game(game, humans, action, completion, reward):
    brought = replayed_pair(robot_that(game, action), humans, game, 0).results(silence(0))
    assert brought["completion"].tolist() == completion
    assert brought["reward"].tolist() == pytest.approx(reward)


def test_the_robot_hears_what_the_humans_utterances_become_and_the_human_drives_as_logged(game, humans):
    robot, heard = robot_that(game, FORWARD), []
    forward = robot.cell.forward
    robot.cell.forward = lambda seen, incoming, memory: (heard.append(incoming), forward(seen, incoming, memory))[1]
    pair = replayed_pair(robot, humans, game, 0)
    turns = list(pair.turns(DictionaryChannel(torch.arange(3.0)[:, None].expand(3, 4))))
    assert [turn.actions[:, 1].tolist() for turn in turns[:2]] == [[1, 1], [1, 1]]
    assert [turn.words[1].tolist() for turn in turns] == [[1, 2], [0, 2], [0, 1]]
    assert [each[:, 0].tolist() for each in heard] == [[0, 0], [1, 2], [0, 2]]  # a step later


@pytest.fixture
def conditions() -> list[Condition]:
    messages = torch.eye(3, 4)
    return [
        Condition("silence", "silence", "silence", silence(0)),
        SPOKEN,
        Condition("mine", "mine", "ours", DictionaryChannel(messages)),
        Condition("dice", "dice", "control", DictionaryChannel(messages, at_random=True)),
        Condition(REPEATED, "mine, repeated", "", DictionaryChannel(messages)),
    ]


def test_every_condition_is_played_with_every_human_and_repetitions_are_averaged(game, humans, conditions):
    outcomes = replayed_outcomes(robot_that(game, FORWARD), game, humans, conditions, 0)
    assert [each.condition for each in outcomes] == conditions
    for each in outcomes:
        assert each.cell == {"pair": "R/H"}
        assert each.values["completion"].tolist() == [1, 1]
        assert each.values["reward"].tolist() == pytest.approx([2 + 0.3 - 0.03] * 2)
        assert each.groups.tolist() == [0, 0]
        assert each.facts == {"possible": 1}


def test_a_game_whose_human_never_arrives_cannot_be_completed(game, conditions):
    table = logged_turns()
    stuck = table["player"] == 0
    table.loc[stuck, ["col", "done"]] = [2, False]
    table.loc[stuck, "action"] = WAIT
    humans = Humans.of(table, SAID, silence=0)
    (played,) = replayed_outcomes(robot_that(game, FORWARD), game, humans, conditions[:1], 0)
    assert played.facts == {"possible": 0.5}
    assert played.values["completion"].tolist() == [0, 1]


class Dictionary:
    """A run with a dictionary: utterance k becomes message 10 + k under `mine`, and message 12 - k under `theirs`."""

    said = {"train": Speech(torch.tensor([12, 11, 10]), torch.zeros(3, 2, 3), torch.eye(3, 4))}  # noqa: RUF012

    def table(self, name: str) -> pd.DataFrame:
        rows = [("H->R", "mine", number, 1, 10 + number) for number in (2, 1, 0)]
        rows += [("H->R", "theirs", number, 1, 12 - number) for number in range(3)]
        rows += [("H->R", "mine", number, 2, 10) for number in range(3)]
        return pd.DataFrame(rows, columns=["direction", "criterion", "source_id", "rank", "target_id"])


def test_utterances_become_their_first_translation_or_any_message():
    messages = {name: dictionary_channel(Dictionary(), name, settings) for name, settings in CRITERIA.items()}
    assert messages["mine"].messages.tolist() == torch.eye(3, 4).flip(0).tolist()
    assert messages["theirs"].messages.tolist() == torch.eye(3, 4).tolist()
    assert [each.at_random for each in messages.values()] == [False, False, True]


def test_dev_chooses_what_a_robot_hears_while_its_model_human_is_silent():
    game, random = small_game(), torch.Generator().manual_seed(0)
    cell = small_cell(game)
    human = ModelHuman(HumanDriver(game, 8, 3), small_run(game, cell).english.speaker, HEARD, SILENCE)
    pair = Pair("R/H*", (Robot(cell), human), game, Start(game.reset(100, random), 0))
    spoken = PhraseMessages(torch.randn(4, 4, generator=torch.Generator().manual_seed(0)))
    channel = HumanChannel(Translator(lambda said: torch.zeros(len(said)).long(), spoken), silence=SILENCE)
    dice = replace(channel, at_random=torch.arange(3))
    chosen, left = choose_silence(pair, [Condition("mine", "", "ours", channel), Condition("dice", "", "", dice)])
    modes = ("translation", "nothing", "last")
    rewards = [pair.results(replace(channel, while_silent=mode))["reward"].mean() for mode in modes]
    assert rewards[0] < rewards[1]
    assert chosen.heard.while_silent == modes[int(np.argmax(rewards))]
    assert chosen.facts == {"while_silent": chosen.heard.while_silent, "dev_reward": max(rewards)}
    assert left.facts == {}
