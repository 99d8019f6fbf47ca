"""A small driving game with untrained players, in which relays can be checked by hand."""

from types import SimpleNamespace

import pandas as pd
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.agents.players import utterances
from neuralese.evaluate.listeners import Listeners
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.tasks.driving.loop import Pair, Robot, Start
from neuralese.translate.languages import English, Neuralese

ROAD = "\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))
STARTS, GOALS = [107, 137, 111, 133], [24, 39, 26, 37]
MESSAGE = 4
PHRASES = ["left", "right", "wait", ""]
SILENCE = 3
HEARD = torch.eye(4, 3)  # what the model human hears for each phrase
CRITERIA = {
    "mine": {"kind": "belief", "role": "ours", "weights": ["source", "sum"], "divergence": "reverse"},
    "theirs": {"kind": "direct", "role": "baseline", "scale": [1.0, 4.0]},
    "dice": {"kind": "random", "role": "control"},
}


def small_game(steps: int = 6) -> DrivingGame:
    return DrivingGame(Layouts.of([ROAD], [STARTS], [GOALS]), max_steps=steps)


def small_cell(game: DrivingGame, noise: float = 0.3) -> Cell:
    """An untrained robot that listens: what it does depends on what it hears."""
    torch.manual_seed(1)
    cell = Cell(game, CellConfig(hidden=16, message=MESSAGE).model_copy(update={"noise": noise}))
    with torch.no_grad():
        cell.encode_message.weight.mul_(8)
    return cell.eval()


def two(robot: Cell, game: DrivingGame, start: Start) -> Pair:
    """Two copies of a robot."""
    return Pair("R/R", (Robot(robot),) * 2, game, start)


def small_run(game: DrivingGame, cell: Cell) -> SimpleNamespace:
    """What a `Run` has, of models that were never fitted."""
    random = torch.Generator().manual_seed(2)
    torch.manual_seed(3)
    robot, human = RobotSpeaker(game, 8, MESSAGE, 0.3), HumanSpeaker(game, 8, len(PHRASES), silence=SILENCE)
    listener = HumanListener(game, 8, len(PHRASES))
    said = {}
    for split, first in (("train", 0), ("dev", 100), ("test", 200)):
        states, messages = utterances(cell, game, 40, random)
        said[split] = Speech(torch.arange(first, first + 40), states, messages)
    contexts, _ = utterances(cell, game, 30, random)

    def neuralese(split: str, first: int | None = None) -> Neuralese:
        chosen = said[split].first(first)
        return Neuralese(game, robot, chosen.messages, chosen.ids)

    return SimpleNamespace(
        states=game,
        cell=cell,
        robot=robot,
        english=English(game, human, PHRASES),
        phrases=PHRASES,
        heard=torch.eye(len(PHRASES)),
        said=said,
        neuralese=neuralese,
        contexts=lambda first=None: game.candidates(contexts[:first]),
        listeners=lambda split: Listeners.of(game, cell, robot, listener),
        generator=lambda stage: torch.Generator().manual_seed(len(stage)),
    )


def logged_turns() -> pd.DataFrame:
    """One game: car 0 goes west along row 3 in two steps, car 1 east along row 4 in three."""
    rows = []
    for turn in range(4):
        west, east = max(2 - turn, 0), min(4 + turn, 7)
        rows.append((0, turn, 0, 3, west, 3, 3, 0, west == 0, 1 if turn < 2 else 0))
        rows.append((0, turn, 1, 4, east, 1, 4, 7, east == 7, 1 if turn < 3 else None))
    columns = ["game", "turn", "player", "row", "col", "direction", "goal_row", "goal_col", "done", "action"]
    return pd.DataFrame(rows, columns=columns).astype({"action": "Int8"}).assign(map=0)
