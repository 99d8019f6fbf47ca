"""A game between a person and a robot: who sees, hears and does what, and the log that is left of it."""

import dataclasses
import json

import pytest
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.data.archives import write_tar
from neuralese.games.driving import FORWARD, LEFT, WAIT, DrivingGame, Layouts
from neuralese.play.driving import OUT_OF_TIME, DrivingSession, Robot, load_robot
from neuralese.play.session import PlayOptions, RefusedError, TooLateError
from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.driving import logs
from neuralese.tasks.driving.logs import layouts, replay
from neuralese.translate.dictionary import Translation

ROAD = "\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))
PHRASES = ["", "west", "going left"]


def pose(row: int, column: int, direction: int) -> int:
    return 4 * (8 * row + column) + direction


WEST, EAST = pose(3, 2, 3), pose(4, 4, 1)  # of two cars in lanes of their own


def lanes(action: int, steps: int = 6, starts: tuple = (WEST, EAST), goals: tuple = (24, 24)) -> Robot:
    """A robot that knows one action, on a road with two lanes; the goal is the west end of the northern one."""
    road = torch.tensor([cell == "#" for cell in ROAD.replace("\n", "")])
    game = DrivingGame(Layouts(road[None], [torch.tensor(starts)], [torch.tensor(goals)]), steps)
    torch.manual_seed(0)
    cell = Cell(game, CellConfig(hidden=8, message=4))
    with torch.no_grad():
        cell.q_values.weight.zero_()
        cell.q_values.bias.copy_(torch.eye(4)[action])
    said = [Translation(1, 0, "east", 1.0), Translation(2, 1, "north", 2.0)]
    return Robot(cell, game, [ROAD], PHRASES, torch.eye(3, 4), lambda message: said)


class Driving(DrivingSession):
    """With shorter words for a turn."""

    def do(self, action: int, message: str = "") -> None:
        self.act(len(self.talk), action, message)


@pytest.fixture
def begin(tmp_path):
    """Begin a game in which the person starts from the pose `start`."""

    def begin(robot: Robot, start: int = EAST) -> Driving:
        random = torch.Generator().manual_seed(0)
        session = Driving(PlayOptions("driving", tmp_path, tmp_path / "play", random), robot)
        while session.course.worlds[0].pose[0, session.seat] != start:
            session.new()
        return session

    return begin


def parsed(log: list, tmp_path):
    """A log, read as those of humans are, and played again."""
    write_tar(tmp_path / "logs", {"x/data/drive/server_logs/a.json": json.dumps(log).encode()})
    maps, turns, bad = logs.parse(tmp_path / "logs")
    assert bad == {}
    return turns, replay(layouts(maps, turns), turns)


def test_the_person_moves_their_car_and_the_robot_its_own(begin):
    game = begin(lanes(FORWARD))
    game.do(WAIT)
    before, after = game.course.worlds
    assert after.pose[0, game.seat] == before.pose[0, game.seat]
    assert after.pose[0, 1 - game.seat] == pose(3, 1, 3)


def test_the_robot_hears_the_persons_phrase_as_the_dictionary_has_it_one_step_later(begin):
    robot = lanes(WAIT)
    heard = []
    robot.cell.encode_message.register_forward_hook(lambda module, given, out: heard.append(given[0].clone()))
    game = begin(robot)
    game.do(WAIT, "Going left!")
    game.do(WAIT)
    game.do(WAIT)
    other = 1 - game.seat
    assert heard[0][other].abs().sum() == 0
    assert torch.equal(heard[1][other], robot.into_neuralese[2])
    assert torch.equal(heard[2][other], robot.into_neuralese[0])


def test_what_the_person_is_shown_tells_nothing_of_the_other_car_but_its_words_until_the_end(begin):
    robot = lanes(FORWARD, goals=(24, 39))
    one, other = begin(robot), begin(robot)
    other.course.worlds[0].pose[0, 1 - other.seat] = pose(3, 7, 3)
    other.course.worlds[0].goal[0, 1 - other.seat] = 31
    for game in (one, other):
        game.do(WAIT, "west")
    assert one.view() == other.view()
    assert not {"states", "actions", "reward"} & set(one.view())
    assert one.view()["talk"][0]["said"] == [{"phrase": "east", "score": 1.0}, {"phrase": "north", "score": 2.0}]
    while not one.course.outcome:
        one.do(WAIT)
    assert len(one.view()["states"]) == len(one.talk) + 1


def test_each_move_is_shown_where_it_leads_and_whether_that_is_road(begin):
    game = begin(lanes(WAIT), WEST)
    assert game.view()["moves"] == [
        {"action": 1, "row": 3, "col": 1, "direction": 3, "on_road": True},
        {"action": 2, "row": 4, "col": 2, "direction": 2, "on_road": True},
        {"action": 3, "row": 2, "col": 2, "direction": 0, "on_road": False},
    ]


def test_who_has_arrived_waits_in_silence_while_the_robot_drives_on(begin):
    game = begin(lanes(FORWARD, starts=(pose(3, 1, 3), pose(3, 5, 3))), pose(3, 1, 3))
    game.do(FORWARD, "west")
    assert game.course.outcome == "arrived"
    assert [actions[game.seat] for actions in game.course.actions] == [FORWARD] + [WAIT] * 4
    assert [talk.heard.typed for talk in game.talk] == ["west", "", "", "", ""]
    with pytest.raises(TooLateError, match="This game is over"):
        game.do(WAIT)


def test_a_robot_that_has_arrived_says_nothing(begin):
    game = begin(lanes(FORWARD, starts=(pose(3, 1, 3), pose(4, 4, 3))), pose(4, 4, 3))
    game.do(WAIT)
    game.do(WAIT)
    assert [bool(talk.said) for talk in game.talk] == [True, False]


def test_a_refused_turn_is_not_lost(begin):
    game = begin(lanes(WAIT))
    with pytest.raises(RefusedError, match="4 words"):
        game.do(FORWARD, "I am going left")
    with pytest.raises(RefusedError, match="nothing else"):
        game.do(4)
    assert (len(game.talk), len(game.course.worlds)) == (0, 1)


@pytest.mark.parametrize(
    ("robot_does", "start", "moves", "outcome"),
    [
        (FORWARD, EAST, [LEFT, LEFT, FORWARD, FORWARD, FORWARD], "arrived"),
        (WAIT, pose(3, 5, 3), [FORWARD, FORWARD], "crashed"),  # into the robot's back
    ],
)
def test_a_finished_game_is_a_log_that_replays_state_for_state(begin, tmp_path, robot_does, start, moves, outcome):
    game = begin(lanes(robot_does, starts=(WEST, start)), start)
    for number, move in enumerate(moves):
        game.do(move, "" if number else "Left, west!")
    assert game.course.outcome == outcome
    turns, played = parsed(game.log(), tmp_path)
    assert played.loc[0, ["completed", "n_turns", "wrong"]].tolist() == [outcome == "arrived", len(moves), None]
    assert played.loc[0, "reward"] == pytest.approx(game.course.reward, abs=1e-5)
    said = turns[turns["action"].notna() & ~turns["done"]].groupby("player")["message"].agg(set)
    assert said[game.seat] == {"Left, west!", ""}
    assert said[1 - game.seat] == {"east"}


def test_a_log_says_who_is_who_what_was_heard_and_what_was_said_in_neuralese(begin):
    game = begin(lanes(WAIT))
    game.do(WAIT, "to the left")
    human, robot = game.log()[1][game.seat], game.log()[1][1 - game.seat]
    assert human == {"action": WAIT, "message": "to the left", "player": "human", "heard": "going left"}
    assert (robot["player"], robot["message"], len(robot["neuralese"])) == ("robot", "east", 4)


def test_finished_games_are_saved_one_file_each_and_no_others(begin, tmp_path):
    game = begin(lanes(WAIT, steps=2, starts=(WEST, pose(3, 5, 3))), pose(3, 5, 3))
    for number, move in enumerate((FORWARD, FORWARD, WAIT)):
        while game.course.worlds[0].pose[0, game.seat] != pose(3, 5, 3):
            game.new()
        game.do(move)
        game.do(move)
        assert (game.course.outcome == OUT_OF_TIME) == (number == 2)
        if number < 2:
            assert json.loads(game.saved[-1].read_text()) == game.log()
        game.new()
    assert sorted(tmp_path.rglob("*.*")) == sorted(set(game.saved))
    assert len(game.saved) == 2


def test_robots_that_are_watched_hear_what_the_english_of_the_other_becomes(begin):
    robot = lanes(FORWARD, starts=(pose(3, 1, 3), pose(3, 5, 3)))
    said = [Translation(1, 1, "west", 1.0), Translation(2, 2, "going left", 2.0)]
    heard, game = [], begin(dataclasses.replace(robot, into_english=lambda message: said), pose(3, 1, 3))
    robot.cell.encode_message.register_forward_hook(lambda module, given, out: heard.append(given[0].clone()))
    seen = game.watch()
    assert seen["outcome"] == "arrived"
    assert len(seen["states"]) == len(seen["turns"]) + 1 == len(heard) + 1
    assert heard[0].abs().sum() == 0  # before anybody has spoken
    assert torch.equal(heard[1], robot.into_neuralese[[1, 1]])
    assert all(each["arrived"] for each in seen["states"][-1])
    spoken = [[each["said"] for each in turn] for turn in seen["turns"]]
    assert spoken[0][0] == [{"phrase": "west", "score": 1.0}, {"phrase": "going left", "score": 2.0}]
    assert any(not each for each in spoken[-1])  # the one that arrived first has nothing more to say


# ---- robots of a run


def options(results, criterion=None, **more) -> PlayOptions:
    return PlayOptions("driving", results, results / "play", torch.Generator(), criterion=criterion, **more)


@pytest.mark.parametrize(("given", "criterion"), [(None, "mine"), ("mine", "mine"), ("printed", "printed")])
def test_both_directions_are_those_of_the_dictionary_by_default_with_ours(results, given, criterion):
    run = results / "driving/seed0"
    robot, messages = load_robot(options(results, given)), read_table(run / "messages.parquet", "messages")
    vectors = torch.from_numpy(matrix(messages["message"]).copy())
    rows = read_table(run / "dictionary.parquet", "dictionary").to_pandas().query("criterion == @criterion")
    best = rows.query("direction == 'H->R' and rank == 1").set_index("source_id")["target_id"]
    for number in range(len(robot.phrases)):
        assert torch.equal(robot.into_neuralese[number], vectors[best[number]])
    said = rows.query("direction == 'R->H' and source_id == 205")
    found = robot.into_english(vectors[205])
    assert [each.text for each in found] == said["target"].tolist()
    assert [each.score for each in found] == pytest.approx(said["score"].tolist(), rel=1e-4)
