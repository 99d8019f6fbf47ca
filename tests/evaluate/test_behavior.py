"""Robots that drive with replayed humans: who moves how, who hears what, and what it is worth."""

import numpy as np
import pandas as pd
import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.games.driving import FORWARD, WAIT, DrivingGame, Layouts
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.behavior import (
    RANDOM_REPEATS,
    Played,
    Voice,
    behavior_table,
    drive,
    evaluate_behavior,
    logged_games,
    translations,
    voices,
)
from neuralese.tasks.driving.human import Humans, load_humans
from neuralese.tasks.driving.logs import layouts
from neuralese.tasks.driving.tables import GAMES, TURNS

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


SAID = np.array([1, 2, 0, 2, 0, 1, 0, 0])  # the utterance in each row of the turns; 0 is silence


@pytest.fixture
def game() -> DrivingGame:
    maps = layouts(MAPS, turns())
    return DrivingGame(Layouts.of(maps["road"], maps["starts"], maps["goals"]), max_steps=6)


@pytest.fixture
def humans() -> Humans:
    return Humans.of(turns(), SAID, silence=0)


def robot_that(game: DrivingGame, action: int) -> Cell:
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    with torch.no_grad():
        cell.q_values.weight.zero_()
        cell.q_values.bias.copy_(torch.eye(4)[action])
    return cell


def test_both_seats_of_a_game_are_humans_with_their_own_actions_and_utterances(humans):
    assert humans.seat.tolist() == [0, 1]
    assert humans.games.tolist() == [0, 0]
    assert humans.action[:, :3].tolist() == [[1, 1, 0], [1, 1, 1]]
    assert humans.utterance.tolist() == [[1, 0, 0, 0], [2, 2, 1, 0]]
    assert humans.utterance_at(99).tolist() == [0, 0]
    assert humans.arrives.all()


def test_humans_who_repeat_themselves_say_their_last_words_again_and_nothing_before_the_first(humans):
    assert humans.repeating().utterance.tolist() == [[1, 1, 1, 1], [2, 2, 1, 1]]
    assert humans.repeating().utterance_at(99).tolist() == [1, 1]
    late = Humans.of(turns(), np.array([0, 0, 0, 2, 1, 0, 0, 0]), silence=0)
    assert late.repeating().utterance.tolist() == [[0, 0, 1, 1], [0, 2, 2, 2]]


def test_a_robot_that_drives_on_completes_the_game_and_one_that_waits_does_not(game, humans, generator):
    reward, completed = drive(robot_that(game, FORWARD), game, humans, None, generator)
    assert completed.tolist() == [1, 1]
    assert reward.tolist() == pytest.approx([2 + 0.3 - 0.03] * 2)
    reward, completed = drive(robot_that(game, WAIT), game, humans, None, generator)
    assert completed.tolist() == [0, 0]
    steps = 4 + 6
    assert reward.tolist() == pytest.approx([1 + 0.1 - 0.01 * steps, 1 + 0.2 - 0.01 * steps])


def test_the_robot_hears_what_the_humans_utterances_become(game, humans, generator):
    asked, heard = [], []
    cell = robot_that(game, FORWARD)
    forward = cell.forward

    def listening(observation, incoming, memory):
        heard.append(incoming.view(2, 2, -1))
        return forward(observation, incoming, memory)

    def say(said):
        asked.append(said.tolist())
        return said[:, None].float().expand(-1, 4)

    cell.forward = listening
    drive(cell, game, humans, say, generator)
    assert asked[:4] == [[1, 2], [0, 2], [0, 1], [0, 0]]
    assert heard[0].abs().sum() == 0
    # in the first row the human is car 0 and the robot car 1, in the second the other way round; a step later
    assert heard[1][0, 1].tolist() == [1.0] * 4
    assert heard[1][1, 0].tolist() == [2.0] * 4


CRITERIA = {
    "mine": {"kind": "belief", "role": "ours", "members": 36},
    "theirs": {"kind": "direct", "role": "baseline", "members": 1},
    "dice": {"kind": "random", "role": "control", "members": 1},
}


@pytest.fixture
def vocabulary() -> Speech:
    return Speech(torch.tensor([12, 11, 10]), torch.zeros(3, 2, 3), torch.eye(3, 4))


@pytest.fixture
def dictionary() -> pd.DataFrame:
    """Utterance k becomes message 10 + k under `mine`, and message 12 - k under `theirs`."""
    rows = [("H->R", "mine", number, 1, 10 + number) for number in range(3)]
    rows += [("H->R", "theirs", number, 1, 12 - number) for number in range(3)]
    rows += [("H->R", "mine", number, 2, 10) for number in range(3)]
    return pd.DataFrame(rows, columns=["direction", "criterion", "source_id", "rank", "target_id"])


def test_utterances_become_their_first_translation_in_the_order_of_their_ids(dictionary, vocabulary):
    assert translations(dictionary, "mine", vocabulary).tolist() == torch.eye(3, 4).flip(0).tolist()
    assert translations(dictionary, "theirs", vocabulary).tolist() == torch.eye(3, 4).tolist()


def test_there_is_a_voice_for_silence_for_a_robot_and_for_every_criterion(dictionary, vocabulary, generator):
    found = {voice.name: voice for voice in voices(dictionary, CRITERIA, vocabulary, generator)}
    assert [(name, voice.title, voice.role, voice.times) for name, voice in found.items()] == [
        ("silence", "silence", "silence", 1),
        ("neuralese", "a robot's own words", "native", 1),
        ("mine", "mine (ours, chosen on dev)", "ours", 1),
        ("theirs", "theirs (baseline)", "baseline", 1),
        ("dice", "dice (control)", "control", RANDOM_REPEATS),
        ("repeated", "mine, repeated while the human is silent", "", 1),
    ]
    said = torch.tensor([2, 0, 2])
    assert found["silence"].say(said).tolist() == [[0.0] * 4] * 3
    assert found["neuralese"].say is None  # nobody translates what a robot says
    assert found["mine"].say(said).tolist() == torch.eye(3, 4)[[0, 2, 0]].tolist()
    assert len(found["dice"].say(torch.zeros(100, dtype=torch.long)).unique(dim=0)) == 3


def test_every_voice_is_played_with_every_human_and_repetitions_are_averaged(
    game, humans, dictionary, vocabulary, generator
):
    ways = voices(dictionary, CRITERIA, vocabulary, generator)
    played = evaluate_behavior(robot_that(game, FORWARD), game, humans, ways, 50, generator)
    pairs = [(each.pair, each.voice.name) for each in played]
    assert pairs == [("R/R", "none"), *(("R/H", voice.name) for voice in ways)]
    assert [len(each.reward) for each in played] == [50, 2, 2, 2, 2, 2, 2]
    for each in played[1:]:
        assert each.completion.tolist() == [1, 1]
        assert each.reward.tolist() == pytest.approx([2 + 0.3 - 0.03] * 2)
        assert each.games.tolist() == [0, 0]
        assert each.possible == 1


def test_a_game_whose_human_never_arrives_cannot_be_completed(game, generator):
    table = turns()
    stuck = table["player"] == 0
    table.loc[stuck, ["col", "done"]] = [2, False]
    table.loc[stuck, "action"] = WAIT
    humans = Humans.of(table, SAID, silence=0)
    way = Voice("silence", "silence", "silence", lambda said: torch.zeros(len(said), 4))
    _, played = evaluate_behavior(robot_that(game, FORWARD), game, humans, [way], 5, generator)
    assert played.possible == 0.5
    assert played.completion.tolist() == [0, 1]


def test_humans_are_those_of_their_own_split_and_of_all_games():
    games = pd.DataFrame({"game": range(3), "split": ["train", "test", "test"]})
    games = games.assign(reward=[9.0, 1.0, 2.0], completed=[False, True, False])
    own, every = logged_games(games, "test")
    assert (own.pair, every.pair) == ("H/H", "H/H all")
    assert (own.reward.tolist(), own.completion.tolist()) == ([1.0, 2.0], [1.0, 0.0])
    assert (every.reward.tolist(), every.completion.tolist()) == ([9.0, 1.0, 2.0], [0.0, 1.0, 0.0])


def voice(name: str, role: str) -> Voice:
    return Voice(name, f"{name}, in tables", role, None)


@pytest.fixture
def table() -> pd.DataFrame:
    """Four humans of two games; figures that can be worked out in one's head."""
    games = np.array([0, 0, 1, 1])
    rewards = {
        ("silence", "silence"): [0.0, 0.0, 0.0, 0.0],
        ("dice", "control"): [1.0, 0.0, 1.0, 0.0],
        ("theirs", "baseline"): [1.0, 1.0, 1.0, 1.0],
        ("mine", "ours"): [2.0, 1.0, 4.0, 3.0],
        ("neuralese", "native"): [1.0, 1.0, 2.0, 2.0],
    }
    played = [Played("R/R", voice("none", ""), np.array([2.0, 1.0, 3.0]), np.array([1.0, 0.0, 1.0]))]
    for (name, role), reward in rewards.items():
        completed = (np.array(reward) > 0.5).astype(float)
        played.append(Played("R/H", voice(name, role), np.array(reward), completed, games, possible=0.75))
    logged = pd.DataFrame({"split": ["test", "train"], "reward": [1.0, 3.0], "completed": [True, False]})
    return behavior_table(played + logged_games(logged, "test"), 500, np.random.default_rng(0))


def test_every_pair_and_voice_has_a_row_with_what_it_is_called_and_brought(table):
    rows = table.set_index(["measure", "pair", "criterion"])
    voices = [("R/H", name) for name in ("silence", "dice", "theirs", "mine", "neuralese")]
    pairs = [("R/R", "none"), *voices, ("H/H", "none"), ("H/H all", "none")]
    assert set(rows.index) == {(measure, *pair) for measure in ("reward", "completion") for pair in pairs}
    mine = rows.loc[("reward", "R/H", "mine")]
    assert mine[["title", "role", "n", "groups", "possible", "value"]].tolist() == [
        "mine, in tables", "ours", 4, 2, 0.75, 2.5
    ]  # fmt: skip
    assert rows.loc[("reward", "R/R", "none"), ["value", "groups"]].tolist() == [2.0, 3]
    assert rows.loc[("reward", "H/H", "none"), ["value", "n"]].tolist() == [1.0, 1]
    assert rows.loc[("completion", "H/H all", "none"), ["value", "n"]].tolist() == [0.5, 2]


def test_gains_are_game_by_game_over_silence_the_control_and_the_baseline(table):
    over = [f"over_{reference}" for reference in ("silence", "control", "baseline")]
    rows = table[table["pair"] == "R/H"].set_index(["measure", "criterion"])[[*over, "over_baseline_error"]]
    assert rows.loc[("reward", "mine"), over].tolist() == [2.5, 2.0, 1.5]
    assert rows.loc[("reward", "neuralese"), over].tolist() == [1.5, 1.0, 0.5]
    assert rows.loc[("reward", "dice"), over].tolist() == pytest.approx([0.5, np.nan, -0.5], nan_ok=True)
    assert rows.loc[("reward", "silence"), over].tolist() == pytest.approx([np.nan, -0.5, -1.0], nan_ok=True)
    assert rows.loc[("completion", "mine"), over].tolist() == [1.0, 0.5, 0.0]
    # both seats of a game count as one: over the baseline the two games gained 1 and 5, around 3 on average
    error = rows.loc[("reward", "mine"), "over_baseline_error"]
    assert error == pytest.approx(((1 - 3) ** 2 + (5 - 3) ** 2) ** 0.5 / 4)
    assert table.loc[table["pair"] != "R/H", over].isna().all(axis=None)  # only a robot with a human is compared


def test_the_table_keeps_its_contract(table, tmp_path):
    write_table(tmp_path / "behavior.parquet", table.assign(task="driving", seed=0, data="embedded"), "behavior")


def test_a_whole_utterance_is_said_by_one_number_and_what_has_no_phrase_is_silence(tmp_path):
    games = pd.DataFrame({"game": [0, 1], "map": 0, "split": ["test", "train"], "completed": True, "reward": 1.0})
    played = pd.concat([turns().assign(game=number) for number in (0, 1)], ignore_index=True)
    traces = pd.DataFrame(
        {"item_id": [0, 1, 3, 8], "phrases": [[2, 1, 2], [], [1], [1, 2]]}  # row 8 is of the training game
    )
    files = {name: tmp_path / name for name in ("games.parquet", "turns.parquet", "traces.parquet")}
    write_table(files["games.parquet"], games.assign(n_turns=4), GAMES)
    write_table(files["turns.parquet"], played.assign(message=""), TURNS)
    write_table(files["traces.parquet"], traces, "traces")
    humans = load_humans(files, "test", parts=((0,), (1,), (2,), (1, 2)), silence=0)
    assert humans.games.tolist() == [0, 0]
    # rows of the turns are of car 0 and of car 1 in turn
    assert humans.utterance.tolist() == [[3, 0, 0, 0], [0, 1, 0, 0]]
