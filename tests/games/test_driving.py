"""The driving world: every rule of motion and reward on hand-made positions."""

import pandas as pd
import pytest
import torch

from neuralese import tasks
from neuralese.config.models import GameConfig
from neuralese.games.driving import (
    FORWARD,
    GONE,
    LEFT,
    POSES,
    RIGHT,
    WAIT,
    DrivingEncoder,
    DrivingGame,
    DrivingWorld,
    Layouts,
    move_table,
    tail_table,
)
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.logs import layouts
from neuralese.tasks.driving.tables import MAPS

NORTH, EAST, SOUTH, WEST = range(4)
# a road of two lanes from west to east, rows 3 and 4; everything else is grass
ROAD = torch.zeros(8, 8, dtype=torch.bool)
ROAD[3:5] = True


def pose(row: int, column: int, direction: int) -> int:
    return 4 * (8 * row + column) + direction


def cell(row: int, column: int) -> int:
    return 8 * row + column


@pytest.fixture
def game() -> DrivingGame:
    starts = torch.tensor([pose(3, 6, WEST), pose(4, 1, EAST), pose(3, 3, WEST)])
    goals = torch.tensor([cell(3, 0), cell(4, 7)])
    return DrivingGame(Layouts(ROAD.flatten()[None], [starts], [goals]), max_steps=5)


def world(*cars: tuple[int, int], arrived: tuple[bool, bool] = (False, False)) -> DrivingWorld:
    poses, goals = zip(*cars, strict=True)
    return DrivingWorld(torch.tensor([0]), torch.tensor([poses]), torch.tensor([goals]), torch.tensor([arrived]))


FAR = (pose(4, 1, EAST), cell(4, 7))  # a car that is in nobody's way


def step(game, one, other=FAR, actions=(FORWARD, WAIT), arrived=(False, False)):
    after, outcome = game.step(world(one, other, arrived=arrived), torch.tensor([actions]))
    return after, outcome


@pytest.mark.parametrize(
    ("action", "leads_to"),
    [(WAIT, (3, 4, NORTH)), (FORWARD, (2, 4, NORTH)), (LEFT, (3, 3, WEST)), (RIGHT, (3, 5, EAST))],
)
def test_a_turn_is_taken_first_and_then_all_but_waiting_advance(action, leads_to):
    assert move_table()[pose(3, 4, NORTH), action] == pose(*leads_to)


def test_positions_are_clipped_at_the_border_and_a_clipped_turn_still_turns():
    table = move_table()
    assert table[pose(0, 2, NORTH), FORWARD] == pose(0, 2, NORTH)
    assert table[pose(0, 0, NORTH), LEFT] == pose(0, 0, WEST)
    assert table[pose(7, 7, EAST), RIGHT] == pose(7, 7, SOUTH)


def test_the_tail_is_behind_the_head_and_under_it_at_the_border():
    table = tail_table()
    assert table[pose(3, 4, NORTH)] == cell(4, 4)
    assert table[pose(3, 4, WEST)] == cell(3, 5)
    assert table[pose(7, 4, NORTH)] == cell(7, 4)
    assert table.shape == (POSES,)


@pytest.mark.parametrize(
    ("one", "action", "reward"),
    [
        ((pose(3, 6, WEST), cell(3, 0)), FORWARD, -0.01 + 0.1),  # a cell nearer
        ((pose(3, 6, WEST), cell(3, 0)), WAIT, -0.01),  # time passes
        ((pose(3, 5, EAST), cell(3, 0)), FORWARD, -0.01 - 0.1),  # a cell farther
        ((pose(3, 5, WEST), cell(3, 0)), RIGHT, -0.01 - 0.1 - 0.5),  # the head is off the road
        ((pose(2, 5, NORTH), cell(3, 0)), FORWARD, -0.01 - 0.1 - 1.0),  # head and tail are
        ((pose(3, 1, WEST), cell(3, 0)), FORWARD, -0.01 + 1.0),  # arrived: no distance is paid for
        ((pose(1, 5, NORTH), cell(3, 0)), FORWARD, -0.01 - 0.1 - 1.0),  # at the border, with the tail on the grid
        ((pose(0, 5, SOUTH), cell(3, 0)), WAIT, -0.01 - 0.5),  # at the border, the tail outside: one cell
    ],
)
def test_the_reward_of_one_car(game, one, action, reward):
    _, outcome = step(game, one, actions=(action, WAIT))
    assert outcome.reward.item() == pytest.approx(reward)
    assert not outcome.done.item()


def test_standing_off_the_road_costs_at_every_step(game):
    off = (pose(1, 5, NORTH), cell(3, 0))
    assert step(game, off, actions=(WAIT, WAIT))[1].reward.item() == pytest.approx(-0.01 - 1.0)


@pytest.mark.parametrize(
    ("one", "other", "actions"),
    [
        ((pose(3, 4, WEST), cell(3, 0)), (pose(3, 2, EAST), cell(4, 7)), (FORWARD, FORWARD)),  # head on head
        ((pose(3, 4, WEST), cell(3, 0)), (pose(3, 3, EAST), cell(4, 7)), (FORWARD, FORWARD)),  # through each other
        ((pose(3, 4, WEST), cell(3, 0)), (pose(3, 2, WEST), cell(3, 0)), (FORWARD, WAIT)),  # head on tail
    ],
)
def test_a_crash_ends_the_game(game, one, other, actions):
    _, outcome = step(game, one, other, actions)
    assert outcome.done.item()
    assert not outcome.success.item()
    assert outcome.reward.item() < -1.5


@pytest.mark.parametrize(
    ("one", "other", "cells"),
    [
        (pose(1, 4, WEST), pose(1, 2, EAST), 3),  # the heads meet in one cell, the tails are in two more
        (pose(1, 4, WEST), pose(1, 3, EAST), 2),  # through each other: both are on the same two cells
    ],
)
def test_a_cell_off_the_road_that_two_cars_occupy_counts_once(game, one, other, cells):
    _, outcome = step(game, (one, cell(3, 0)), (other, cell(4, 7)), (FORWARD, FORWARD))
    assert outcome.reward.item() == pytest.approx(-0.01 + 0.1 + 0.1 - 2 - 0.5 * cells)


def test_a_car_may_follow_another(game):
    _, outcome = step(game, (pose(3, 5, WEST), cell(3, 0)), (pose(3, 3, WEST), cell(3, 0)), actions=(FORWARD, FORWARD))
    assert not outcome.done.item()


def test_an_arrived_car_is_out_of_the_way_earns_no_more_and_stays_arrived(game):
    gone, coming = (pose(3, 0, WEST), cell(3, 0)), (pose(3, 2, WEST), cell(3, 0))
    after, outcome = step(game, gone, coming, (FORWARD, FORWARD), arrived=(True, False))
    assert not outcome.done.item()
    assert outcome.reward.item() == pytest.approx(-0.01 + 0.1)
    assert after.arrived.tolist() == [[True, False]]
    assert game.observe(after)[0, :, 1].tolist() == [GONE, pose(3, 1, WEST)]
    assert game.acting(after).tolist() == [[False, True]]
    after, outcome = game.step(after, torch.tensor([[FORWARD, FORWARD]]))
    assert outcome.success.item()
    assert outcome.done.item()
    assert outcome.reward.item() == pytest.approx(-0.01 + 1)


def test_two_cars_that_arrive_at_once_in_one_place_both_arrive_but_one_alone_crashes(game):
    _, both = step(game, (pose(3, 1, WEST), cell(3, 0)), (pose(4, 0, NORTH), cell(3, 0)), (FORWARD, FORWARD))
    assert both.success.item()
    assert both.done.item()
    assert both.reward.item() == pytest.approx(-0.01 + 1 + 1 - 2)  # and they touch
    _, one = step(game, (pose(3, 1, WEST), cell(3, 0)), (pose(4, 0, NORTH), cell(4, 7)), (FORWARD, FORWARD))
    assert one.done.item()
    assert not one.success.item()


def test_fresh_games_start_apart_where_the_layout_says(game, generator):
    fresh = game.reset(2000, generator)
    assert (fresh.pose[:, 0] != fresh.pose[:, 1]).all()
    assert set(fresh.pose.flatten().tolist()) == set(game.layouts.starts[0].tolist())
    assert set(fresh.goal.flatten().tolist()) == set(game.layouts.goals[0].tolist())
    pairs = torch.bincount(fresh.pose[:, 0] * 1000 + fresh.pose[:, 1]).nonzero().flatten()
    assert len(pairs) == 6  # every ordered pair of starts


def test_distractors_are_other_states_of_the_same_map_and_exchangeable(generator):
    layouts = Layouts(ROAD.flatten()[None].repeat(2, 1), [torch.tensor([0])] * 2, [torch.tensor([0])] * 2)
    game = DrivingGame(layouts)
    own = torch.stack(
        [torch.arange(6000) % 2, torch.randint(7, (6000,), generator=generator), torch.full((6000,), 5)], 1
    )
    states = game.with_distractors(own, generator)
    assert torch.equal(states[:, 0], own)
    assert torch.equal(states[:, 1, 0], own[:, 0])
    assert (states[:, 0] != states[:, 1]).any(1).all()
    joint = torch.zeros(7, 7).index_put_((states[:, 0, 1], states[:, 1, 1]), torch.ones(6000), accumulate=True)
    assert (joint - joint.T).abs().max() < 60  # about 143 in each cell, whichever of the two is true
    assert torch.equal(game.candidates(states)[:, 1], states.flip(1))


def test_released_distractors_are_anywhere_on_the_road_with_heading_and_goal_of_a_fresh_game(game, generator):
    own = torch.tensor([[0, pose(3, 6, WEST), cell(3, 0)]]).repeat(4000, 1)
    states = game.anywhere(own, generator)
    assert torch.equal(states[:, 0], own)
    where, heading = states[:, 1, 1] // 4, states[:, 1, 1] % 4
    assert set(where.tolist()) == set(torch.nonzero(ROAD.flatten()).flatten().tolist())
    assert set(heading.tolist()) == {WEST, EAST}
    assert set(states[:, 1, 2].tolist()) == {cell(3, 0), cell(4, 7)}
    assert torch.bincount(where).max() < 400  # 250 in each of the 16 cells


@pytest.mark.parametrize("count", [2, 3])
def test_states_survive_the_way_into_a_table_and_back(game, count, generator):
    game = DrivingGame(game.layouts, n_candidates=count)
    own = torch.stack([torch.zeros(50, dtype=torch.long), torch.arange(50) * 5, torch.arange(50)], dim=1)
    states = game.with_distractors(own, generator)
    columns = game.to_columns(states)
    assert states.shape == (50, count, 3)
    assert list(columns)[:6] == ["map", "row", "col", "direction", "goal_row", "goal_col"]
    assert list(columns)[6::5] == ["other_row", "other_2_row"][: count - 1]
    assert torch.equal(game.from_columns(columns), states)


@pytest.mark.parametrize("where", ["play", "anywhere"])
def test_there_are_as_many_distractors_as_the_game_says_and_each_is_drawn_for_itself(game, where, generator):
    more = DrivingGame(game.layouts, n_candidates=4, distractors=where)
    own = more.observe(more.reset(500, generator))[:, 0]
    states = more.with_distractors(own, generator)
    assert states.shape == (500, 4, 3)
    assert torch.equal(states[:, 0], own)
    others = states[:, 1:]
    assert all(not torch.equal(others[:, one], others[:, other]) for one, other in ((0, 1), (0, 2), (1, 2)))
    if where == "play":
        assert (others != own[:, None]).any(2).all()
    for candidates, state in zip(more.candidates(states).tolist(), states.tolist(), strict=True):
        for number, candidate in enumerate(candidates):
            assert candidate == [state[number], *state[:number], *state[number + 1 :]]


def test_a_state_has_a_number_of_its_own():
    game = DrivingGame(Layouts(ROAD.flatten()[None].repeat(2, 1), [torch.tensor([0, 1])] * 2, [torch.tensor([0])] * 2))
    every = torch.cartesian_prod(torch.arange(2), torch.arange(POSES), torch.arange(64))
    assert len(game.codes(every[:, None]).unique()) == len(every)


def test_nobody_is_asked_for_the_state(game, generator):
    states = game.with_distractors(game.observe(game.reset(3, generator))[:, 0], generator)
    assert not game.asks
    for ask in (game.blank, lambda: game.question(states, generator)):
        with pytest.raises(TypeError, match="DrivingGame asks nobody for a state"):
            ask()


def test_the_encoder_sees_where_the_goal_lies_as_the_driver_does():
    encoder = DrivingEncoder(maps=1, width=4)
    with torch.no_grad():
        for name, table in encoder.seen.items():
            if name != "offset":
                table.weight.zero_()
    ahead = [(pose(5, 4, NORTH), cell(3, 4)), (pose(4, 2, EAST), cell(4, 4)), (pose(1, 1, SOUTH), cell(3, 1))]
    right = [(pose(5, 4, NORTH), cell(5, 6)), (pose(4, 2, EAST), cell(6, 2)), (pose(4, 4, WEST), cell(2, 4))]
    seen = encoder(torch.tensor([(0, *each) for each in ahead + right]))
    assert torch.equal(seen[0], seen[1])
    assert torch.equal(seen[0], seen[2])
    assert torch.equal(seen[3], seen[4])
    assert torch.equal(seen[3], seen[5])
    assert not torch.equal(seen[0], seen[3])
    assert encoder(torch.tensor([[0, GONE, 5]])).shape == (1, 4)


def test_the_papers_encoder_does_not_see_where_the_goal_lies(game):
    paper = DrivingGame(game.layouts, goal_offset=False)
    assert set(game.encoder(4).seen) - set(paper.encoder(4).seen) == {"offset"}
    encoder = paper.encoder(4)
    with torch.no_grad():
        for name in ("cell", "goal"):
            encoder.seen[name].weight.zero_()
    here, there = (encoder(torch.tensor([(0, pose(*at, NORTH), cell(3, 4))])) for at in ((5, 4), (2, 2)))
    assert torch.equal(here, there)  # what lies ahead is in no other indicator


def test_the_rules_of_a_game_are_written_into_its_maps(tmp_path, generator):
    road = "\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))
    maps = pd.DataFrame({"map": [0], "road": [road]})
    car = {
        "turn": 0,
        "row": 3,
        "direction": WEST,
        "goal_row": 3,
        "goal_col": 0,
        "done": False,
        "action": 1,
        "message": "",
    }
    turns = pd.DataFrame([car | {"game": 0, "player": player, "col": 5 + player, "map": 0} for player in (0, 1)])
    maps, path = layouts(maps, turns), tmp_path / "maps.parquet"
    write_table(path, maps, MAPS)
    by_split = tasks.get("driving").load_games({"maps.parquet": path}, GameConfig())
    assert list(by_split) == ["train", "dev", "test"]
    usual = by_split["train"]
    assert (usual.distractors, usual.goal_offset) == ("play", True)
    assert usual.layouts.road.flatten().tolist() == ROAD.flatten().tolist()
    assert usual.layouts.starts[0].tolist() == [pose(3, 5, WEST), pose(3, 6, WEST)]
    assert usual.layouts.goals[0].tolist() == [cell(3, 0)]
    write_table(path, maps, MAPS, about={"distractors": "anywhere", "goal_offset": False})
    released = tasks.get("driving").load_games({"maps.parquet": path}, GameConfig(steps=7))["test"]
    assert (released.distractors, released.goal_offset, released.max_steps) == ("anywhere", False, 7)
    own = torch.tensor([[0, pose(3, 5, WEST), cell(3, 0)]]).repeat(500, 1)
    # by the one rule all distractors are like the only state of play, by the other they are anywhere
    assert len(usual.with_distractors(own, generator)[:, 1].unique(dim=0)) == 1
    assert len(released.with_distractors(own, generator)[:, 1].unique(dim=0)) == 16
    states = usual.with_distractors(own, generator)
    assert len(released.redraw(states, generator)[:, 1].unique(dim=0)) == 16
