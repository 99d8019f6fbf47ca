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
from neuralese.tasks.driving.tables import MAPS

NORTH, EAST, SOUTH, WEST = range(4)
# a road of two lanes from west to east, rows 3 and 4; everything else is grass
ROAD = "\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))


def pose(row: int, column: int, direction: int) -> int:
    return 4 * (8 * row + column) + direction


def cell(row: int, column: int) -> int:
    return 8 * row + column


STARTS, GOALS = [pose(3, 6, WEST), pose(4, 1, EAST), pose(3, 3, WEST)], [cell(3, 0), cell(4, 7)]


def game_on(maps: int = 1, **rules) -> DrivingGame:
    return DrivingGame(Layouts.of([ROAD] * maps, [STARTS] * maps, [GOALS] * maps), max_steps=5, **rules)


@pytest.fixture
def game() -> DrivingGame:
    return game_on()


FAR = (pose(4, 1, EAST), cell(4, 7))  # a car that is in nobody's way


def step(game, one, other=FAR, actions=(FORWARD, WAIT), arrived=(False, False)):
    poses, goals = zip(one, other, strict=True)
    world = DrivingWorld(torch.tensor([0]), torch.tensor([poses]), torch.tensor([goals]), torch.tensor([arrived]))
    return game.step(world, torch.tensor([actions]))


@pytest.mark.parametrize(
    ("at", "action", "leads_to"),
    [
        ((3, 4, NORTH), WAIT, (3, 4, NORTH)),
        ((3, 4, NORTH), FORWARD, (2, 4, NORTH)),
        ((3, 4, NORTH), LEFT, (3, 3, WEST)),  # a turn is taken first, and then the car advances
        ((3, 4, NORTH), RIGHT, (3, 5, EAST)),
        ((0, 2, NORTH), FORWARD, (0, 2, NORTH)),  # positions are clipped at the border
        ((0, 0, NORTH), LEFT, (0, 0, WEST)),  # and a clipped turn still turns
        ((7, 7, EAST), RIGHT, (7, 7, SOUTH)),
    ],
)
def test_where_an_action_leads(at, action, leads_to):
    assert move_table()[pose(*at), action] == pose(*leads_to)


def test_the_tail_is_behind_the_head_and_under_it_at_the_border():
    table = tail_table()
    tails = {(3, 4, NORTH): (4, 4), (3, 4, WEST): (3, 5), (7, 4, NORTH): (7, 4)}
    assert all(table[pose(*head)] == cell(*tail) for head, tail in tails.items())
    assert table.shape == (POSES,)


@pytest.mark.parametrize(
    ("at", "action", "reward"),
    [
        ((3, 6, WEST), FORWARD, 0.1),  # a cell nearer
        ((3, 6, WEST), WAIT, 0.0),
        ((3, 5, EAST), FORWARD, -0.1),  # a cell farther
        ((3, 5, WEST), RIGHT, -0.1 - 0.5),  # the head is off the road
        ((2, 5, NORTH), FORWARD, -0.1 - 1.0),  # head and tail are
        ((1, 5, NORTH), WAIT, -1.0),  # which costs at every step
        ((3, 1, WEST), FORWARD, 1.0),  # arrived: no distance is paid for
        ((1, 5, NORTH), FORWARD, -0.1 - 1.0),  # at the border, with the tail on the grid
        ((0, 5, SOUTH), WAIT, -0.5),  # at the border, the tail outside: one cell
    ],
)
def test_the_reward_of_one_car(game, at, action, reward):
    _, outcome = step(game, (pose(*at), cell(3, 0)), actions=(action, WAIT))
    assert outcome.reward.item() == pytest.approx(reward - 0.01)
    assert not outcome.done.item()


@pytest.mark.parametrize(
    ("other", "action", "crash"),
    [
        ((3, 2, EAST), FORWARD, True),  # head on head
        ((3, 3, EAST), FORWARD, True),  # through each other
        ((3, 2, WEST), WAIT, True),  # head on tail
        ((3, 2, WEST), FORWARD, False),  # a car may follow another
    ],
)
def test_a_crash_ends_the_game(game, other, action, crash):
    goal = cell(3, 0) if other[2] == WEST else cell(4, 7)
    _, outcome = step(game, (pose(3, 4, WEST), cell(3, 0)), (pose(*other), goal), (FORWARD, action))
    assert outcome.done.item() is crash
    assert not outcome.success.item()
    assert (outcome.reward.item() < -1.5) is crash


@pytest.mark.parametrize(
    ("other", "cells"),
    [
        ((1, 2, EAST), 3),  # the heads meet in one cell, the tails are in two more
        ((1, 3, EAST), 2),  # through each other: both are on the same two cells
    ],
)
def test_a_cell_off_the_road_that_two_cars_occupy_counts_once(game, other, cells):
    one = (pose(1, 4, WEST), cell(3, 0))
    _, outcome = step(game, one, (pose(*other), cell(4, 7)), (FORWARD, FORWARD))
    assert outcome.reward.item() == pytest.approx(-0.01 + 0.1 + 0.1 - 2 - 0.5 * cells)


def test_an_arrived_car_is_out_of_the_way_earns_no_more_and_stays_arrived(game):
    gone, coming = (pose(3, 0, WEST), cell(3, 0)), (pose(3, 2, WEST), cell(3, 0))
    after, outcome = step(game, gone, coming, (FORWARD, FORWARD), arrived=(True, False))
    assert (outcome.done.item(), outcome.reward.item()) == (False, pytest.approx(-0.01 + 0.1))
    assert after.arrived.tolist() == [[True, False]]
    assert game.observe(after)[0, :, 1].tolist() == [GONE, pose(3, 1, WEST)]
    assert game.acting(after).tolist() == [[False, True]]
    _, outcome = game.step(after, torch.tensor([[FORWARD, FORWARD]]))
    assert (outcome.success.item(), outcome.done.item()) == (True, True)
    assert outcome.reward.item() == pytest.approx(-0.01 + 1)


@pytest.mark.parametrize(("goal", "success"), [(cell(3, 0), True), (cell(4, 7), False)])
def test_two_cars_that_touch_as_both_arrive_complete_the_game_but_one_alone_crashes(game, goal, success):
    _, outcome = step(game, (pose(3, 1, WEST), cell(3, 0)), (pose(4, 0, NORTH), goal), (FORWARD, FORWARD))
    assert (outcome.done.item(), outcome.success.item()) == (True, success)
    if success:
        assert outcome.reward.item() == pytest.approx(-0.01 + 1 + 1 - 2)


def test_fresh_games_start_apart_where_the_layout_says(game, generator):
    fresh = game.reset(2000, generator)
    assert {tuple(pair) for pair in fresh.pose.tolist()} == {(a, b) for a in STARTS for b in STARTS if a != b}
    assert set(fresh.goal.flatten().tolist()) == set(GOALS)


def test_distractors_are_other_states_of_the_same_map_and_exchangeable(generator):
    game, drawn = game_on(maps=2), torch.randint(7, (6000,), generator=generator)
    own = torch.stack([torch.arange(6000) % 2, drawn, torch.full((6000,), 5)], 1)
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
    assert set(where.tolist()) == set(range(cell(3, 0), cell(5, 0)))
    assert set(heading.tolist()) == {WEST, EAST}
    assert set(states[:, 1, 2].tolist()) == set(GOALS)
    assert torch.bincount(where).max() < 400  # 250 in each of the 16 cells


@pytest.mark.parametrize("count", [2, 3])
def test_states_survive_the_way_into_a_table_and_back(count, generator):
    game = game_on(n_candidates=count)
    own = torch.stack([torch.zeros(50, dtype=torch.long), torch.arange(50) * 5, torch.arange(50)], dim=1)
    states = game.with_distractors(own, generator)
    columns = game.to_columns(states)
    assert list(columns)[:6] == ["map", "row", "col", "direction", "goal_row", "goal_col"]
    assert list(columns)[6::5] == ["other_row", "other_2_row"][: count - 1]
    assert torch.equal(game.from_columns(columns), states)


@pytest.mark.parametrize("where", ["play", "anywhere"])
def test_there_are_as_many_distractors_as_the_game_says_and_each_is_drawn_for_itself(where, generator):
    game = game_on(n_candidates=4, distractors=where)
    own = game.observe(game.reset(500, generator))[:, 0]
    states = game.with_distractors(own, generator)
    assert states.shape == (500, 4, 3)
    others = states[:, 1:]
    assert all(not torch.equal(others[:, one], others[:, other]) for one, other in ((0, 1), (0, 2), (1, 2)))
    assert where == "anywhere" or (others != own[:, None]).any(2).all()
    for candidates, state in zip(game.candidates(states).tolist(), states.tolist(), strict=True):
        for number, candidate in enumerate(candidates):
            assert candidate == [state[number], *state[:number], *state[number + 1 :]]


def test_a_state_has_a_number_of_its_own_and_nobody_is_asked_for_it():
    game = game_on(maps=2)
    every = torch.cartesian_prod(torch.arange(2), torch.arange(POSES), torch.arange(64))
    assert len(game.codes(every[:, None]).unique()) == len(every)
    assert not game.asks
    with pytest.raises(TypeError, match="DrivingGame asks nobody for a state"):
        game.blank()


@torch.no_grad()
def test_the_encoder_sees_where_the_goal_lies_as_the_driver_does_and_the_papers_does_not():
    encoder, paper = DrivingEncoder(maps=1, width=4), game_on(goal_offset=False).encoder(4)
    assert set(encoder.seen) - set(paper.seen) == {"offset"}
    for name in set(encoder.seen) - {"offset"}:
        encoder.seen[name].weight.zero_()
    ahead = [(pose(5, 4, NORTH), cell(3, 4)), (pose(4, 2, EAST), cell(4, 4)), (pose(1, 1, SOUTH), cell(3, 1))]
    right = [(pose(5, 4, NORTH), cell(5, 6)), (pose(4, 2, EAST), cell(6, 2)), (pose(4, 4, WEST), cell(2, 4))]
    seen = encoder(torch.tensor([(0, *each) for each in ahead + right]))
    assert seen.unique(dim=0).shape == (2, 4)
    assert torch.equal(seen[:3], seen[:1].expand(3, -1))
    assert encoder(torch.tensor([[0, GONE, 5]])).shape == (1, 4)
    for name in ("cell", "goal"):
        paper.seen[name].weight.zero_()
    here, there = (paper(torch.tensor([(0, pose(*at, NORTH), cell(3, 4))])) for at in ((5, 4), (2, 2)))
    assert torch.equal(here, there)  # what lies ahead is in no other indicator


def test_the_rules_of_a_game_are_those_written_into_its_maps(tmp_path, generator):
    path = tmp_path / "maps.parquet"
    table = {"map": [0], "road": [ROAD], "starts": [STARTS], "goals": [GOALS]}

    def load(about: dict, **rules) -> dict[str, DrivingGame]:
        write_table(path, pd.DataFrame(table), MAPS, about=about)
        return tasks.get("driving").load_games({path.name: path}, GameConfig(**rules))

    usual = load({})
    assert list(usual) == ["train", "dev", "test"]
    assert (usual["train"].distractors, usual["train"].goal_offset) == ("play", True)
    assert usual["train"].layouts.starts[0].tolist() == STARTS
    released = load({"distractors": "anywhere", "goal_offset": False}, steps=7)["test"]
    assert (released.distractors, released.goal_offset, released.max_steps) == ("anywhere", False, 7)
    own = torch.tensor([[0, pose(3, 5, WEST), cell(3, 0)]]).repeat(500, 1)
    # by the one rule all distractors are like the only state of play, by the other they are anywhere
    states = usual["dev"].with_distractors(own, generator)
    assert len(states[:, 1].unique(dim=0)) == 1
    assert len(released.with_distractors(own, generator)[:, 1].unique(dim=0)) > 16
    assert len(released.redraw(states, generator)[:, 1].unique(dim=0)) > 16
