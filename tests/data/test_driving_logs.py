"""Driving logs: every field is checked, games come out as logged, messages become phrases as the module says."""

import json
import logging
from itertools import pairwise

import pytest

from neuralese.data.archives import write_tar
from neuralese.errors import NeuraleseError
from neuralese.tasks.driving import embedded, logs
from neuralese.tasks.driving.logs import BadLogError, layouts, parse_log, replay

ROAD = [[float(3 <= row <= 4) for _ in range(8)] for row in range(8)]


def car(row: int, column: int, direction: int = 3, goal: tuple[int, int] = (3, 0), done: bool = False) -> dict:
    return {"pos": [row, column], "dir": direction, "goal": list(goal), "done": done}


def log_of_a_game() -> list:
    """Car a drives two cells west and arrives; car b waits, then arrives at its side."""
    return [
        {"cars": [car(3, 2), car(4, 6, 1, (4, 7))], "road": ROAD},
        [{"action": 1, "message": "Going west!"}, {"action": 0, "message": ""}],
        {"cars": [car(3, 1), car(4, 6, 1, (4, 7))], "road": ROAD},
        [{"action": 1, "message": ""}, {"action": 1, "message": "at  goal"}],
        {"cars": [car(3, 0, done=True), car(4, 7, 1, (4, 7), done=True)], "road": ROAD},
    ]


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
    played = replay(layouts(maps, turns), turns)
    assert played.loc[0, ["completed", "n_turns", "wrong"]].tolist() == [True, 2, None]
    assert played.loc[0, "reward"] == pytest.approx(-0.02 + 0.1 + 2)


def changed(change) -> list:
    record = log_of_a_game()
    change(record)
    return record


MALFORMED = {
    "the JSON is damaged": lambda: json.dumps(log_of_a_game()).encode()[:-40],
    "the list of states and moves": lambda: log_of_a_game()[:-1],
    "moves 1[0].action is 7": lambda: changed(lambda r: r[3][0].update(action=7)),
    "moves 0[1].action is true": lambda: changed(lambda r: r[1][1].update(action=True)),
    "moves 0[1].message is 3": lambda: changed(lambda r: r[1][1].update(message=3)),
    "state 1.cars[0].pos is [3, 8]": lambda: changed(lambda r: r[2]["cars"][0].update(pos=[3, 8])),
    "state 1.cars[0].pos is [-1, -1]": lambda: changed(lambda r: r[2]["cars"][0].update(pos=[-1, -1])),
    "state 0.cars[1].goal is [9, 0]": lambda: changed(lambda r: r[0]["cars"][1].update(goal=[9, 0])),
    "state 2.cars[0].dir is 4": lambda: changed(lambda r: r[4]["cars"][0].update(dir=4)),
    "state 2.cars[0].done is 1": lambda: changed(lambda r: r[4]["cars"][0].update(done=1)),
    "the number of state 0.cars is 3": lambda: changed(lambda r: r[0]["cars"].append(car(3, 5))),
    "road is": lambda: changed(lambda r: r[0].update(road=ROAD[:7])),
    "state 1.road is": lambda: changed(lambda r: r[2].update(road=[*ROAD[1:], ROAD[0]])),
}


@pytest.mark.parametrize("field", MALFORMED)
def test_a_malformed_log_is_named_with_its_field_left_out_and_counted(tmp_path, caplog, field):
    records = [log_of_a_game()] * 30
    records[4] = MALFORMED[field]()
    with caplog.at_level(logging.WARNING):
        _, turns, bad = logs.parse(archive(tmp_path, records))
    assert list(bad) == ["004.json"]
    assert bad["004.json"].startswith(field)
    assert "004.json is left out" in caplog.text
    assert turns["game"].nunique() == 29


def test_more_than_one_in_twenty_malformed_logs_stop_the_run(tmp_path):
    records = [log_of_a_game()] * 18 + [b"{"] * 2
    with pytest.raises(NeuraleseError, match=r"2 of 20 driving logs are malformed \(for example 018.json: the JSON"):
        logs.parse(archive(tmp_path, records))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda r: r[2]["cars"][0].update(pos=[3, 2]), "the position after moves 0"),
        (lambda r: r[4]["cars"][1].update(done=False), "who has arrived after moves 1"),
        (lambda r: r.extend([r[3], r[4]]), "whether the game is over after moves 1"),
    ],
)
def test_a_game_that_cannot_have_happened_is_left_out(tmp_path, change, says):
    maps, turns, bad = logs.parse(archive(tmp_path, [changed(change)] + [log_of_a_game()] * 30))
    played = replay(layouts(maps, turns), turns)
    games, turns, bad = logs.leave_out(played, turns, bad)
    assert list(bad) == ["000.json"]
    assert bad["000.json"].startswith(says)
    assert 0 not in set(turns["game"])
    assert len(games) == 30


# a game whose log is made odd one field at a time
FULL_ROAD = [[1.0] * 8 for _ in range(8)]
CAR = {"done": False, "pos": [1, 2], "dir": 0, "goal": [3, 4]}
STATE = {"cars": [CAR, CAR], "road": FULL_ROAD}
MOVE = {"action": 1, "message": "going"}
GAME = [STATE, [MOVE, MOVE], STATE]


def with_car(**change):
    return [{**STATE, "cars": [{**CAR, **change}, CAR]}, [MOVE, MOVE], STATE]


def with_move(**change):
    return [STATE, [{**MOVE, **change}, MOVE], STATE]


ODD_LOGS = [
    *(json.dumps(value).encode() for value in (None, 5, "x", {}, [], [STATE], [STATE, [MOVE, MOVE]], [1, 2, 3])),
    *(
        b"",
        b"[",
        b"\xff\xfe",
        b"\x00",
        b"[" * 100_000,
        b"[" * 900 + b"]" * 900,
        b'{"a":' * 5000,
        b"9" * 5000,
        b"NaN",
        b"[1,]",
    ),
    *(
        json.dumps(with_car(pos=each)).encode()
        for each in ([8, 0], [-1, -1], [1], [1, 2, 3], ["1", 2], [1.5, 2], None, {})
    ),
    *(json.dumps(with_car(dir=each)).encode() for each in (4, -1, 1.0, "0", None, True, [0], 10**30)),
    *(json.dumps(with_car(goal=each)).encode() for each in ([9, 9], None, "34")),
    *(json.dumps(with_car(done=each)).encode() for each in (0, "no", None)),
    *(json.dumps(with_move(action=each)).encode() for each in (4, -1, "1", None, True, 1.0, [1])),
    *(json.dumps(with_move(message=each)).encode() for each in (None, 5, ["a"], "x" * 10_000, "\ud800")),
    *(
        json.dumps([{**STATE, "road": each}, [MOVE, MOVE], STATE]).encode()
        for each in (None, [], FULL_ROAD[:7], [[2] * 8] * 8)
    ),
    *(json.dumps([{**STATE, "road": [[each] * 8] * 8}, [MOVE, MOVE], STATE]).encode() for each in ("1", None, [], 0.5)),
    json.dumps([{**STATE, "cars": [CAR]}, [MOVE, MOVE], STATE]).encode(),
    json.dumps([STATE, [MOVE], STATE]).encode(),
    json.dumps([STATE, [MOVE, MOVE], {**STATE, "road": [[0] * 8] * 8}]).encode(),
    json.dumps(with_car(pos=[[[[]]]] * 50)).encode(),
    json.dumps(GAME).encode().replace(b'"dir": 0', b'"dir": ' + b"1" * 5000),
]


@pytest.mark.parametrize("content", ODD_LOGS, ids=lambda content: ascii(content[:60]))
def test_an_odd_log_is_named_by_the_field_at_fault(content):
    with pytest.raises(BadLogError) as caught:
        parse_log(content)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


def test_the_log_that_is_made_odd_is_right_otherwise():
    road, rows = parse_log(json.dumps(GAME).encode())
    assert road == "\n".join(["########"] * 8)
    assert len(rows) == 4


def test_an_archive_of_odd_logs_stops_in_one_sentence(tmp_path):
    with pytest.raises(NeuraleseError, match="driving logs are malformed") as caught:
        logs.parse(archive(tmp_path, ODD_LOGS))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


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
    for message, phrases in cases.items():
        assert logs.phrases_of(message, ids) == phrases, message


def test_embedded_games_are_real_logs_and_mostly_end_well(tmp_path):
    embedded.write(tmp_path)
    maps, turns, bad = logs.parse(tmp_path / "logs")
    played = replay(layouts(maps, turns), turns)
    assert bad == {}
    assert played["wrong"].isna().all()
    assert len(played) == embedded.GAMES
    assert played["completed"].mean() > 0.9
    assert (turns["message"] != "").sum() > 1000


def test_all_real_games_replay_exactly(mirror):
    maps, turns, bad = logs.parse(mirror / "neuralese-fa55efc.tar.gz")
    played = replay(layouts(maps, turns), turns)
    assert bad == {}
    assert (len(played), int(turns["action"].notna().sum()), len(maps)) == (382, 5962, 5)
    assert played["wrong"].isna().all()
    assert played["completed"].sum() == 296
    assert ((turns["message"] != "") & ~turns["done"]).sum() == 2165


AHEAD = ((-1, 0), (0, 1), (1, 0), (0, -1))


def plain_reward(road: list[str], before: list[dict], after: list[dict]) -> float:
    """The reward of one move of a logged game by the released rules, from the log's positions alone."""
    occupied, earned = [], -0.01
    for old, new in zip(before, after, strict=True):
        if old["done"]:
            continue
        head, (down, across) = old["goal"] if new["done"] else new["head"], AHEAD[new["direction"]]
        tail = (head[0] - down, head[1] - across)
        occupied += [cell for cell in (head, tail) if 0 <= cell[0] < 8 and 0 <= cell[1] < 8]
        far, near = (sum(abs(a - b) for a, b in zip(old["goal"], cell, strict=True)) for cell in (old["head"], head))
        earned += 1 if new["done"] else 0.1 * (far - near)
    off = {(row, column) for row, column in occupied if road[row][column] != "#"}
    return earned - 0.5 * len(off) - (2 if len(set(occupied)) < len(occupied) else 0)


def test_the_reward_of_every_real_game_is_that_of_the_released_rules(mirror):
    maps, turns, _ = logs.parse(mirror / "neuralese-fa55efc.tar.gz")
    played = replay(layouts(maps, turns), turns).set_index("game")
    roads = [road.splitlines() for road in maps["road"]]
    for game, rows in turns.groupby("game"):
        states = [
            [
                {
                    "head": (row.row, row.col),
                    "goal": (row.goal_row, row.goal_col),
                    "direction": row.direction,
                    "done": row.done,
                }
                for row in turn.sort_values("player").itertuples()
            ]
            for _, turn in rows.groupby("turn")
        ]
        road = roads[rows["map"].iloc[0]]
        expected = sum(plain_reward(road, before, after) for before, after in pairwise(states))
        assert played.loc[game, "reward"] == pytest.approx(expected, abs=1e-5), game
    split = logs.splits(len(played), dev=56, test=100)
    assert played["reward"][[each == "test" for each in split]].mean() == pytest.approx(1.634, abs=5e-4)
