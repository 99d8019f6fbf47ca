"""Driving logs: every field is checked, games come out as logged, messages become phrases as the module says."""

import json
import logging
from itertools import pairwise

import pytest

from neuralese.data.archives import write_tar
from neuralese.errors import NeuraleseError
from neuralese.tasks.driving import embedded, logs

ROAD = [[float(3 <= row <= 4) for _ in range(8)] for row in range(8)]


def car(row: int, column: int, direction: int = 3, goal: tuple[int, int] = (3, 0), done: bool = False) -> dict:
    return {"pos": [row, column], "dir": direction, "goal": list(goal), "done": done}


def log_of_a_game(change=None) -> list:
    """Car a drives two cells west and arrives; car b waits, then arrives at its side."""
    record = [
        {"cars": [car(3, 2), car(4, 6, 1, (4, 7))], "road": ROAD},
        [{"action": 1, "message": "Going west!"}, {"action": 0, "message": ""}],
        {"cars": [car(3, 1), car(4, 6, 1, (4, 7))], "road": ROAD},
        [{"action": 1, "message": ""}, {"action": 1, "message": "at  goal"}],
        {"cars": [car(3, 0, done=True), car(4, 7, 1, (4, 7), done=True)], "road": ROAD},
    ]
    if change:
        change(record)
    return record


def archive(tmp_path, records: list):
    path = tmp_path / "logs"
    contents = [each if isinstance(each, bytes) else json.dumps(each).encode() for each in records]
    write_tar(path, {f"x/data/drive/server_logs/{n:03}.json": content for n, content in enumerate(contents)})
    return path


def test_a_log_becomes_turns_that_replay_to_the_same_end(tmp_path):
    maps, turns, bad = logs.parse(archive(tmp_path, [log_of_a_game()]))
    assert maps["road"][0].splitlines()[3] == "########"
    assert bad == {}
    assert turns["message"].tolist() == ["Going west!", "", "", "at  goal", "", ""]
    assert turns["action"].isna().tolist() == [False] * 4 + [True] * 2
    played = logs.replay(logs.layouts(maps, turns), turns)
    assert played.loc[0, ["completed", "n_turns", "wrong"]].tolist() == [True, 2, None]
    assert played.loc[0, "reward"] == pytest.approx(-0.02 + 0.1 + 2)


MALFORMED = {  # what is said of a log, and what is wrong with it
    "it is not a list of states with moves": lambda r: r.pop(),
    "moves 1[0].action is 7": lambda r: r[3][0].update(action=7),
    "moves 0[1].action is true": lambda r: r[1][1].update(action=True),
    "moves 0[1].message is 3": lambda r: r[1][1].update(message=3),
    "state 1.cars[0].pos[1] is 8": lambda r: r[2]["cars"][0].update(pos=[3, 8]),
    "state 1.cars[0].pos is [-1, -1]": lambda r: r[2]["cars"][0].update(pos=[-1, -1]),
    "state 0.cars[1].goal[0] is 9": lambda r: r[0]["cars"][1].update(goal=[9, 0]),
    "state 2.cars[0].dir is 4": lambda r: r[4]["cars"][0].update(dir=4),
    "state 2.cars[0].done is 1": lambda r: r[4]["cars"][0].update(done=1),
    "state 2.cars[0].goal is missing": lambda r: r[4]["cars"][0].pop("goal"),
    "state 0.cars is [": lambda r: r[0]["cars"].append(car(3, 5)),
    "state 0.road is": lambda r: r[0].update(road=ROAD[:7]),
    "state 1.road is not that of the first state": lambda r: r[2].update(road=[*ROAD[1:], ROAD[0]]),
}


def test_a_malformed_log_is_left_out_and_counted(tmp_path, caplog):
    records = [log_of_a_game()] * 29
    with caplog.at_level(logging.WARNING):
        _, turns, bad = logs.parse(
            archive(tmp_path, [*records[:4], json.dumps(records[0]).encode()[:-40], *records[4:]])
        )
    assert list(bad) == ["004.json"]
    assert "004.json is left out: the JSON is damaged" in caplog.text
    assert turns["game"].nunique() == 29


def test_more_than_one_in_twenty_malformed_logs_stop_the_run(tmp_path):
    records = [log_of_a_game()] * 18 + [b"{"] * 2
    with pytest.raises(NeuraleseError, match=r"2 of 20 driving logs are malformed \(for example 018.json: the JSON"):
        logs.parse(archive(tmp_path, records))
    with pytest.raises(NeuraleseError, match="driving logs are malformed"):
        logs.parse(archive(tmp_path, ODD_LOGS))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: r[2]["cars"][0].update(pos=[3, 2]), "the position after moves 0"),
        (lambda r: r[4]["cars"][1].update(done=False), "who has arrived after moves 1"),
        (lambda r: r.extend([r[3], r[4]]), "whether the game is over after moves 1"),
    ],
)
def test_a_game_that_cannot_have_happened_is_left_out(tmp_path, change, says):
    maps, turns, bad = logs.parse(archive(tmp_path, [log_of_a_game(change)] + [log_of_a_game()] * 30))
    games, turns, bad = logs.leave_out(logs.replay(logs.layouts(maps, turns), turns), turns, bad)
    assert list(bad) == ["000.json"]
    assert bad["000.json"].startswith(says)
    assert set(turns["game"]) == set(games["game"]) == set(range(1, 31))


def odd(part: str, **change) -> bytes:
    """A log with one thing changed."""
    record = log_of_a_game()
    {"state": record[0], "car": record[0]["cars"][0], "move": record[1][0]}[part].update(change)
    return json.dumps(record).encode()


BROKEN = [
    b"",
    b"[",
    b"\xff\xfe",
    b"\x00",
    b"[" * 100_000,
    b"[" * 900 + b"]" * 900,
    b'{"a":' * 5000,
    b"9" * 5000,
    b"NaN",
]
STATE, MOVES = log_of_a_game()[:2]
ODD_LOGS = [
    *BROKEN,
    *(json.dumps(record).encode() for record in (None, 5, "x", {}, [], [STATE], [STATE, MOVES], [1, 2, 3])),
    *(json.dumps([STATE, moves, STATE]).encode() for moves in (MOVES[:1], None, {})),
    *(odd("car", pos=each) for each in ([8, 0], [-1, -1], [1], [1, 2, 3], ["1", 2], [1.5, 2], None, {}, [[[[]]]] * 50)),
    *(odd("car", dir=each) for each in (4, -1, 1.0, "0", None, True, [0], 10**30)),
    *(odd("car", goal=each) for each in ([9, 9], [-1, -1], None, "34")),
    *(odd("car", done=each) for each in (0, "no", None)),
    *(odd("move", action=each) for each in (4, -1, "1", None, True, 1.0, [1])),
    *(odd("move", message=each) for each in (None, 5, ["a"], "x" * 10_000, "\ud800")),
    *(odd("state", road=each) for each in (None, [], ROAD[:7], [[2] * 8] * 8, [[0] * 8] * 8)),
    *(odd("state", road=[[each] * 8] * 8) for each in ("1", None, [], 0.5, True)),
    *(odd("state", cars=each) for each in ([], STATE["cars"][:1], None)),
    json.dumps(log_of_a_game()).encode().replace(b'"dir": 3', b'"dir": ' + b"1" * 5000),
]


CASES = [("", content) for content in ODD_LOGS]
CASES += [(field, json.dumps(log_of_a_game(change)).encode()) for field, change in MALFORMED.items()]


@pytest.mark.parametrize(("field", "content"), CASES, ids=range(len(CASES)))
def test_an_odd_log_is_named_by_the_field_at_fault(field, content):
    with pytest.raises(logs.BadLogError) as caught:
        logs.parse_log(content)
    assert str(caught.value).startswith(field)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 300


def test_an_archive_of_something_else_is_refused(tmp_path):
    write_tar(tmp_path / "logs", {"readme.txt": b"hello"})
    with pytest.raises(NeuraleseError, match="download the driving data again"):
        logs.parse(tmp_path / "logs")


def test_splits_go_by_file_name_and_leave_something_to_train_on():
    assert logs.splits(7, dev=2, test=1) == ["train", "dev", "train", "train", "dev", "train", "test"]
    assert logs.splits(382, dev=56, test=100).count("dev") == 56
    with pytest.raises(NeuraleseError, match=r"lower driving\.dev_games"):
        logs.splits(5, dev=2, test=3)


def test_inventory_and_traces_are_as_the_module_says():
    messages = ["Going up!", "going up", "GOING UP.", "left", "left", "to the far left now", "", "", "up"]
    known = logs.vocabulary(messages, least_words=2)["word"].tolist()
    assert known[0] == ""
    assert set(known[1:]) == {"going", "up", "left"}
    inventory = logs.inventory(messages, 2, known)
    assert inventory["phrase"].tolist() == ["", "going up", "left"]
    assert inventory["count"].tolist() == [2, 3, 2]
    assert inventory["words"].tolist() == [[0], logs.words_of("going up", {w: i for i, w in enumerate(known)}), [3]]
    ids = {phrase: number for number, phrase in enumerate(inventory["phrase"])}
    cases = {"going up left lane": [1, 2], "I'm going  up": [1], "going left": [2], "hello": [], "": [0], "  ": [0]}
    assert {message: logs.phrases_of(message, ids) for message in cases} == cases


def test_embedded_games_are_real_logs_and_mostly_end_well(tmp_path):
    embedded.write(tmp_path)
    maps, turns, bad = logs.parse(tmp_path / "logs")
    played = logs.replay(logs.layouts(maps, turns), turns)
    assert bad == {}
    assert played["wrong"].isna().all()
    assert len(played) == embedded.GAMES
    assert played["completed"].mean() > 0.9
    assert (turns["message"] != "").sum() > 1000


AHEAD = ((-1, 0), (0, 1), (1, 0), (0, -1))


def plain_reward(road: list[str], before: list, after: list) -> float:
    """The reward of one move of a logged game by the released rules, from the log's positions alone."""
    occupied, earned = [], -0.01
    for old, new in zip(before, after, strict=True):
        if old.done:
            continue
        goal = (old.goal_row, old.goal_col)
        head, (down, across) = goal if new.done else (new.row, new.col), AHEAD[new.direction]
        tail = (head[0] - down, head[1] - across)
        occupied += [cell for cell in (head, tail) if 0 <= cell[0] < 8 and 0 <= cell[1] < 8]
        far, near = (abs(goal[0] - cell[0]) + abs(goal[1] - cell[1]) for cell in ((old.row, old.col), head))
        earned += 1 if new.done else 0.1 * (far - near)
    off = {(row, column) for row, column in occupied if road[row][column] != "#"}
    return earned - 0.5 * len(off) - (2 if len(set(occupied)) < len(occupied) else 0)


def test_all_real_games_replay_exactly_with_the_reward_of_the_released_rules(mirror):
    maps, turns, bad = logs.parse(mirror / "neuralese-fa55efc.tar.gz")
    played = logs.replay(logs.layouts(maps, turns), turns)
    assert bad == {}
    assert (len(played), int(turns["action"].notna().sum()), len(maps)) == (382, 5962, 5)
    assert played["wrong"].isna().all()
    assert played["completed"].sum() == 296
    assert ((turns["message"] != "") & ~turns["done"]).sum() == 2165
    rewards = played.set_index("game")["reward"]
    for game, rows in turns.groupby("game"):
        road = maps["road"][rows["map"].iloc[0]].splitlines()
        states = [list(turn.sort_values("player").itertuples()) for _, turn in rows.groupby("turn")]
        expected = sum(plain_reward(road, before, after) for before, after in pairwise(states))
        assert rewards[game] == pytest.approx(expected, abs=1e-5), game
    split = logs.splits(len(played), dev=56, test=100)
    assert played["reward"][[each == "test" for each in split]].mean() == pytest.approx(1.634, abs=5e-4)
