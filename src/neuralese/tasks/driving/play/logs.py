"""Finished games as logs, in the format of the games that humans played with each other (see `data.driving`).

A move also says who made it (`player`: human or robot); a human's has the phrase that the robot `heard`; a robot's has
its message in `neuralese`, of which `message` is the translation.
"""

import json
import secrets
import string
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from neuralese.games.driving import DrivingWorld
from neuralese.storage.files import write_text
from neuralese.tasks.driving.play.game import OUT_OF_TIME, FogGame, Turn, car


def game_log(game: FogGame) -> list:
    """A game as states with both players' moves between consecutive ones."""
    road = [[float(cell == "#") for cell in line] for line in game.robot.roads[int(game.worlds[0].map[0])].splitlines()]
    log: list[Any] = [{"cars": _cars(game.worlds[0]), "road": road}]
    for turn, world in zip(game.turns, game.worlds[1:], strict=True):
        log += [_moves(turn, game.seat), {"cars": _cars(world), "road": road}]
    return log


def _cars(world: DrivingWorld) -> list[dict]:
    cars = [car(world, seat) for seat in (0, 1)]
    return [
        {"done": each["arrived"], "pos": [each["row"], each["col"]], "dir": each["direction"], "goal": each["goal"]}
        for each in cars
    ]


def _moves(turn: Turn, seat: int) -> list[dict]:
    human = {"message": turn.heard.typed, "player": "human", "heard": turn.heard.phrase}
    robot = {
        "message": turn.said[0][0] if turn.said else "",
        "player": "robot",
        "neuralese": [round(number, 4) for number in turn.neuralese.tolist()],
    }
    return [{"action": turn.actions[each], **(human if each == seat else robot)} for each in (0, 1)]


def save_game(folder: Path, game: FogGame) -> Path:
    """Write a game's log under its own name; a game that ran out of time goes into `folder`/unfinished.

    Every game that humans played with each other was finished, so the parser accepts no other.
    """
    kind = folder / "unfinished" if game.outcome == OUT_OF_TIME else folder
    letters = "".join(secrets.choice(string.ascii_lowercase) for _ in range(8))
    path = kind / f"{datetime.now(UTC):%Y-%m-%d_%H-%M-%S}_{letters}.json"
    write_text(path, json.dumps(game_log(game)))
    return path
