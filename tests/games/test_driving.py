"""The driving world: every rule of motion and reward on hand-made positions."""

from functools import partial

import pandas as pd
import pytest
import torch

from neuralese import tasks
from neuralese.config.models import GameConfig
from neuralese.games.driving import GONE, POSES, DrivingEncoder, DrivingGame, DrivingWorld, Layouts
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.embedded import cells, move
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


def plain_step(poses: list, goals: list, arrived: list, actions: list) -> tuple[list, list, float, bool]:
    """One move of one game by the rules as the game states them, with cars as (row, column, direction)."""
    acting = [car for car in (0, 1) if not arrived[car]]
    after = [move(poses[car], actions[car]) if car in acting else poses[car] for car in (0, 1)]
    there = [done or after[car][:2] == goals[car] for car, done in enumerate(arrived)]
    occupied = [cells(after[car]) for car in acting]
    crash = len(acting) == 2 and bool(occupied[0] & occupied[1])
    reward = -0.01 - 2 * crash - 0.5 * sum(ROAD.split()[row][column] != "#" for row, column in set().union(*occupied))
    for car in acting:
        far, near = (abs(at[0] - goals[car][0]) + abs(at[1] - goals[car][1]) for at in (poses[car], after[car]))
        reward += 1 if there[car] else 0.1 * (far - near)
    return after, there, reward, crash


def test_random_moves_are_those_of_the_plain_rules(game, generator):
    """From anywhere on the grid, also at its border and off the road; in half of the games the cars are close."""
    games, random = 3000, partial(torch.randint, generator=generator)
    first, goal, actions = random(POSES, (games, 1)), random(64, (games, 2)), random(4, (games, 2))
    near = (first + 4 * random(-2, 3, (games, 1)) + random(4, (games, 1))).clamp(0, POSES - 1)
    start = torch.cat([first, torch.where(torch.arange(games)[:, None] % 2 == 0, near, random(POSES, (games, 1)))], 1)
    arrived = random(10, (games, 2)) == 0
    goal = torch.where(arrived, start // 4, goal)
    after, outcome = game.step(DrivingWorld(torch.zeros(games, dtype=torch.long), start, goal, arrived), actions)
    seen = set()
    for number in range(games):
        poses = [(each // 32, each // 4 % 8, each % 4) for each in start[number].tolist()]
        goals, gone = [divmod(each, 8) for each in goal[number].tolist()], arrived[number].tolist()
        places, there, reward, crash = plain_step(poses, goals, gone, actions[number].tolist())
        assert after.pose[number].tolist() == [pose(*each) for each in places]
        assert after.arrived[number].tolist() == there
        assert outcome.reward[number].item() == pytest.approx(reward, abs=1e-5)
        assert (outcome.done[number].item(), outcome.success[number].item()) == (crash or all(there), all(there))
        seen.add((crash, *there))
    assert len(seen) > 5  # crashes and arrivals, also both at once


def test_a_car_that_has_arrived_is_off_the_road(game):
    world = DrivingWorld(
        torch.tensor([0]), torch.tensor([STARTS[:2]]), torch.tensor([GOALS]), torch.tensor([[True, False]])
    )
    assert game.observe(world)[0, :, 1].tolist() == [GONE, STARTS[1]]
    assert game.acting(world).tolist() == [[False, True]]


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


@pytest.mark.parametrize("where", ["play", "anywhere"])
def test_every_distractor_is_drawn_for_itself_and_states_survive_the_way_into_a_table_and_back(where, generator):
    game = game_on(n_candidates=4, distractors=where)
    own = game.observe(game.reset(500, generator))[:, 0]
    states = game.with_distractors(own, generator)
    assert states.shape == (500, 4, 3)
    others = states[:, 1:]
    assert all(not torch.equal(others[:, one], others[:, other]) for one, other in ((0, 1), (0, 2), (1, 2)))
    assert where == "anywhere" or (others != own[:, None]).any(2).all()
    columns = game.to_columns(states)
    assert list(columns)[:6] == ["map", "row", "col", "direction", "goal_row", "goal_col"]
    assert list(columns)[6::5] == ["other_row", "other_2_row", "other_3_row"]
    assert torch.equal(game.from_columns(columns), states)


def test_a_state_has_a_number_of_its_own_and_nobody_is_asked_for_it():
    game = game_on(maps=2)
    every = torch.cartesian_prod(torch.arange(2), torch.arange(POSES), torch.arange(64))
    assert len(game.codes(every[:, None]).unique()) == len(every)
    assert not game.asks
    with pytest.raises(TypeError, match="DrivingGame asks nobody for a state"):
        game.blank()


@torch.no_grad()
def test_the_encoder_sees_where_the_goal_lies_as_the_driver_does():
    encoder = DrivingEncoder(maps=1, width=4)
    for name in set(encoder.seen) - {"offset"}:
        encoder.seen[name].weight.zero_()
    ahead = [(pose(5, 4, NORTH), cell(3, 4)), (pose(4, 2, EAST), cell(4, 4)), (pose(1, 1, SOUTH), cell(3, 1))]
    right = [(pose(5, 4, NORTH), cell(5, 6)), (pose(4, 2, EAST), cell(6, 2)), (pose(4, 4, WEST), cell(2, 4))]
    seen = encoder(torch.tensor([(0, *each) for each in ahead + right]))
    assert seen.unique(dim=0).shape == (2, 4)
    assert torch.equal(seen[:3], seen[:1].expand(3, -1))
    assert encoder(torch.tensor([[0, GONE, 5]])).shape == (1, 4)


def test_the_rules_of_a_game_are_those_written_into_its_maps(tmp_path):
    path = tmp_path / "maps.parquet"
    table = {"map": [0], "road": [ROAD], "starts": [STARTS], "goals": [GOALS]}

    def load(about: dict, **rules) -> dict[str, DrivingGame]:
        write_table(path, pd.DataFrame(table), MAPS, about=about)
        return tasks.get("driving").load_games({path.name: path}, GameConfig(**rules))

    usual = load({})
    assert list(usual) == ["train", "dev", "test"]
    assert usual["train"].distractors == "play"
    assert usual["train"].layouts.starts[0].tolist() == STARTS
    released = load({"distractors": "anywhere"}, steps=7)["test"]
    assert (released.distractors, released.max_steps) == ("anywhere", 7)
