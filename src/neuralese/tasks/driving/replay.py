"""Logged driving games, replayed in the batched world: they must end as logged, and yield their reward."""

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.tasks.driving import roads
from neuralese.tasks.driving.game import DrivingGame, DrivingWorld
from neuralese.tasks.driving.roads import Layouts


def poses(turns: pd.DataFrame) -> np.ndarray:
    """The pose of every row of `turns`; a car that was taken off the road is `GONE`."""
    pose = 4 * cells(turns["row"], turns["col"]) + turns["direction"].to_numpy(dtype=np.int64)
    return np.where(turns["row"] < 0, roads.GONE, pose)


def cells(row: pd.Series, column: pd.Series) -> np.ndarray:
    """The numbers of cells."""
    return roads.SIZE * row.to_numpy(dtype=np.int64) + column.to_numpy(dtype=np.int64)


def layouts(maps: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """Maps with the poses where cars started and the cells they had to reach: `starts` and `goals`."""
    first = turns[turns["turn"] == 0]
    per_map = [first[first["map"] == number] for number in maps["map"]]
    return maps.assign(
        starts=[np.unique(poses(rows)).tolist() for rows in per_map],
        goals=[np.unique(cells(rows["goal_row"], rows["goal_col"])).tolist() for rows in per_map],
    )


class Logged:
    """The turns of logged games as tensors (games, turns, 2), padded with waiting; games in the order of `ids`."""

    def __init__(self, turns: pd.DataFrame) -> None:
        self.ids, row = np.unique(turns["game"], return_inverse=True)
        turn, player = turns["turn"].to_numpy(), turns["player"].to_numpy()
        shape = (len(self.ids), int(turn.max()) + 1, 2)

        def spread(values: np.ndarray, empty: int = 0) -> Tensor:
            array = np.full(shape, empty, dtype=np.int64)
            array[row, turn, player] = values
            return torch.from_numpy(array)

        self.turns = spread(turn).amax(dim=(1, 2))  # of each game, without the last state: (games,)
        self.pose = spread(poses(turns))
        self.goal = spread(cells(turns["goal_row"], turns["goal_col"]))[:, 0]
        self.done = spread(turns["done"].to_numpy()).bool()
        self.action = spread(turns["action"].fillna(roads.WAIT).to_numpy(dtype=np.int64))
        self.row = spread(np.arange(len(turns)), -1)  # of the table; -1 once a game was over
        self.map = torch.tensor(turns.groupby("game")["map"].first().to_numpy(dtype=np.int64))

    def start(self) -> DrivingWorld:
        """The worlds in which the games began."""
        return DrivingWorld(self.map, self.pose[:, 0], self.goal, torch.zeros_like(self.pose[:, 0], dtype=torch.bool))


def replay(maps: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """Replay logged games on `maps`, given as `layouts`: game, completed, reward, n_turns, and `wrong`, what
    first differs from the log or None.

    A car on the road must be where the log puts it, arrive when the log says, and the game must end with the log.
    """
    logged, game = Logged(turns), DrivingGame(Layouts.of(maps["road"], maps["starts"], maps["goals"]))
    world = logged.start()
    reward = torch.zeros(len(logged.ids))
    completed = torch.zeros(len(logged.ids), dtype=torch.bool)
    wrong: list[str | None] = [None] * len(logged.ids)
    for turn in range(int(logged.turns.max())):
        going = turn < logged.turns
        driving = game.acting(world)
        world, outcome = game.step(world, logged.action[:, turn])
        reward += torch.where(going, outcome.reward, 0.0)
        completed |= outcome.success & going
        differs = {
            "the position": ((world.pose != logged.pose[:, turn + 1]) & driving).any(1),
            "who has arrived": (world.arrived != logged.done[:, turn + 1]).any(1),
            "whether the game is over": outcome.done != (turn + 1 == logged.turns),
        }
        for what, where in differs.items():
            for game_row in torch.nonzero(where & going).flatten().tolist():
                wrong[game_row] = wrong[game_row] or f"{what} after moves {turn} does not follow from them"
    return pd.DataFrame(
        {
            "game": logged.ids,
            "completed": completed.numpy(),
            "reward": reward.double().numpy().round(6),
            "n_turns": logged.turns.numpy(),
            "wrong": wrong,
        }
    )
