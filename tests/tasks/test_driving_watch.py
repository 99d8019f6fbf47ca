"""Driving games to watch: what is recorded of them, and how their states are drawn."""

import pandas as pd
import pyarrow as pa
import pytest
import torch
from small_driving import GOALS, ROAD, STARTS, small_cell

from neuralese import tasks
from neuralese.games.driving import GONE
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.behavior import replayed_pair
from neuralese.tasks.driving.channels import silence
from neuralese.tasks.driving.human import Humans
from neuralese.tasks.driving.loop import Robot, unchanged
from neuralese.tasks.driving.tables import MAPS
from neuralese.tasks.driving.watch import CELL, differing, record, road_map, turn_by_turn


def north(messages):
    return ["north"] * len(messages)


@pytest.fixture
def watched(pair) -> pd.DataFrame:
    return record(pair, unchanged, (north, north))


def test_every_turn_of_both_drivers_is_recorded_until_the_game_is_over(pair, watched):
    for _, game in watched.groupby("game"):
        assert game["turn"].tolist() == [turn for turn in range(len(game) // 2) for _ in (0, 1)]
        assert (game["outcome"].iloc[:-2] == "").all()
        assert (game.loc[game["pose"] == GONE, "said"] == "").all()
    assert set(watched["said"]) <= {"north", ""}
    assert watched.groupby("game")["reward"].last().to_numpy() == pytest.approx(
        pair.results(unchanged)["reward"], abs=1e-5
    )


def test_games_that_differ_come_first(watched):
    other = watched.assign(reward=watched["reward"] + (watched["game"] == 7))
    assert differing([watched, other], 2) == [7, 0]


def test_a_human_says_whole_utterances_in_its_own_words(game, generator):
    world, waiting = game.reset(2, generator), torch.zeros(2, 3, dtype=torch.long)
    utterance, texts = torch.tensor([[3, 0, 1], [0, 3, 0]]), ["", "left", "right", "left, right"]
    arrives = torch.ones(2, dtype=torch.bool)
    humans = Humans(torch.arange(2), world, waiting, utterance, arrives, silence=0)
    mixed = replayed_pair(Robot(small_cell(game)), humans, game, 0)
    table = record(mixed, silence(0), (north, lambda said: [texts[each] for each in said]), ("robot", "human"))
    for number, rows in table[table["player"] == 1].groupby("game"):
        assert set(rows["who"]) == {"human"}
        assert rows["said"].tolist() == [texts[utterance[number, min(turn, 2)]] for turn in rows["turn"]]
        assert (rows["action"] == 0).all()


def test_a_road_map_shows_the_road_a_car_and_its_goal():
    one, other = (road_map(ROAD, 4 * (8 * 3 + column) + 3, 8 * 3) for column in (2, 4))
    assert one.shape == (8 * CELL, 8 * CELL, 3)
    assert (one[5 * CELL - 8, 4] != one[0, 0]).any()  # the road, the grass
    rows, columns = (one != other).any(2).nonzero()
    assert set(rows // CELL) == {3}
    assert set(columns // CELL) == {2, 3, 4, 5}  # two cells of each car, and the star elsewhere is the same
    there = (one != road_map(ROAD, 4 * (8 * 3 + 2) + 3, 8 * 4)).any(2)
    assert set(there.nonzero()[0] // CELL) == {3, 4}  # the star is in another row


def test_states_are_drawn_from_the_columns_of_messages(tmp_path, game):
    state = {"map": 0, "row": 3, "col": 4, "direction": 3, "goal_row": 3, "goal_col": 0}
    other = {"other_row": 4, "other_col": 1, "other_direction": 1, "other_goal_row": 4, "other_goal_col": 7}
    columns = {name: torch.tensor([value]) for name, value in (state | other).items()}
    target, distractor = game.codes(game.from_columns(columns))[0].tolist()
    maps = pa.table({"map": pa.array([0], pa.int32()), "road": [ROAD], "starts": [STARTS], "goals": [GOALS]})
    write_table(tmp_path / "maps.parquet", maps, MAPS)
    shown = tasks.get("driving").pixels({"maps.parquet": tmp_path / "maps.parquet"}, {target, distractor})
    assert (shown[target] == road_map(ROAD, 4 * 28 + 3, 24)).all()
    assert (shown[distractor] == road_map(ROAD, 4 * 33 + 1, 39)).all()


def test_the_report_has_every_turn_of_both_cars_and_which_games_began_identically(watched):
    both = [watched[watched["game"] < 2].assign(pair="R/R", criterion=name) for name in ("mine", "theirs")]
    games = turn_by_turn(pd.concat(both))
    found = [(each["criterion"], each["start"]) for each in games]
    assert found == [("mine", 0), ("mine", 1), ("theirs", 0), ("theirs", 1)]
    for game, (_, rows) in zip(games, both[0].groupby("game"), strict=False):
        assert (game["map"], game["who"]) == (0, ["robot", "robot"])
        assert [car["pose"] for turn in game["turns"] for car in turn["cars"]] == rows["pose"].tolist()
        assert game["turns"][-1]["outcome"] == rows["outcome"].iloc[-1]
