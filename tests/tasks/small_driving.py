"""A small driving game with untrained players, in which relays can be checked by hand."""

from types import SimpleNamespace

import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.agents.players import utterances
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.languages import English, Neuralese

ROAD = "\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))
STARTS, GOALS = [107, 137, 111, 133], [24, 39, 26, 37]
MESSAGE = 4
PHRASES = ["left", "right", "wait", ""]
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


def small_run(game: DrivingGame, cell: Cell) -> SimpleNamespace:
    """What a `Run` has, of models that were never fitted."""
    random = torch.Generator().manual_seed(2)
    torch.manual_seed(3)
    robot, human = RobotSpeaker(game, 8, MESSAGE, 0.3), HumanSpeaker(game, 8, len(PHRASES), silence=3)
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
        games=dict.fromkeys(said, game),
        robot=robot,
        english=English(game, human, PHRASES),
        phrases=PHRASES,
        silence=3,
        said=said,
        seed=0,
        neuralese=neuralese,
        contexts=lambda first=None: game.candidates(contexts[:first]),
        generator=lambda stage: torch.Generator().manual_seed(len(stage)),
    )
