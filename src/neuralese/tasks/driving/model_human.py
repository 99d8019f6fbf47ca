"""A model of human drivers who listen: what people do next, given their position, their goal and what they heard.

    p(action | seen, heard) = softmax(prospects of each action . v + perceptron(seen) + W words heard)

The prospects of an action are what the map tells anybody about it: whether it leaves the road, how many moves nearer
the goal then is along the road, whether it arrives, whether it is waiting. They let a driver who has never been
in a state drive sensibly there.

What is heard at a turn is what the other said the turn before, as both move and speak at once; older words fade by
`FADING` per turn. There are few games, so the model is fitted part by part, each stopped where it predicts the dev
games best: prospects, the perceptron, and finally the effect of words. So the same model with its ears shut is a driver
who ignores words, and the value of words is how much better held-out moves are predicted with them, game by game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor, nn

from neuralese.evaluate.statistics import paired_test
from neuralese.games.driving import ACTIONS, CELLS, GONE, POSES, WAIT, DrivingGame, move_table, off_road_table
from neuralese.randomness import seeded
from neuralese.speakers.fit import FitConfig, fit
from neuralese.speakers.models import HumanSpeaker
from neuralese.speakers.traces import Lists
from neuralese.stages.run import Run
from neuralese.storage.tables import read_table
from neuralese.tasks.driving.human import load_turns
from neuralese.tasks.driving.logs import Logged
from neuralese.tasks.driving.loop import Chance
from neuralese.tasks.driving.tables import WORDS
from neuralese.tasks.task import Files

FITTING = FitConfig(batch=512, learning_rate=0.001, check_every=10, patience=10)
FADING = 0.5  # share of what was heard that is left a turn later: of 0, 0.5 and 0.8 it predicts dev moves best
QUICKER = 30  # factor on the learning rate for the few weights of prospects
PROSPECTS = ("off the road", "moves nearer", "arrives", "waits")
FARTHEST = 24  # maximum distance in moves, also used for what cannot be reached


class Moves(NamedTuple):
    """What people did: all moves of cars on the road, in the games of one split."""

    seen: Tensor  # (n, 3)
    heard: Tensor  # (n, words)
    action: Tensor  # (n,)
    game: Tensor  # (n,)

    def chosen(self, rows: Tensor | slice) -> "Moves":
        """Some of the moves."""
        return Moves(*(each[rows] for each in self))


def load_moves(files: Files, split: str) -> Moves:
    """The moves of the games of one split."""
    turns, inside = load_turns(files, split)
    traces, words = read_table(files["traces.parquet"], "traces"), read_table(files["words.parquet"], WORDS)["word"]
    said = torch.zeros(len(turns), len(words))
    every = Lists.of(traces["words"].combine_chunks(), len(words)).bags(torch.arange(traces.num_rows))
    said[torch.tensor(traces["item_id"].to_numpy())] = every
    said[:, words.to_pylist().index("")] = 0  # silence has no words
    return moves_of(turns[inside].reset_index(drop=True), said[inside])


def moves_of(turns: pd.DataFrame, said: Tensor) -> Moves:
    """The moves in `turns`, with the words `said` (rows, words) in each of its rows."""
    logged = Logged(turns)
    memory = torch.zeros(len(logged.ids), 2, said.shape[1])
    parts = []
    for turn in range(int(logged.turns.max())):
        driving = (turn < logged.turns)[:, None] & ~logged.done[:, turn]
        game, seat = torch.nonzero(driving, as_tuple=True)
        seen = torch.stack([logged.map[game], logged.pose[game, turn, seat], logged.goal[game, seat]], dim=1)
        parts.append((seen, memory[game, seat], logged.action[game, turn, seat], torch.from_numpy(logged.ids)[game]))
        row = logged.row[:, turn]
        memory = FADING * memory + (said[row] * (row >= 0)[..., None]).flip(1)
    return Moves(*(torch.cat(each) for each in zip(*parts, strict=True)))


def moves_to_go(road: Tensor) -> Tensor:
    """Number of moves from any pose to any goal along the road, (maps, CELLS, POSES)."""
    moved, head = move_table()[:, 1:], torch.arange(POSES) // 4
    arrived = head == torch.arange(CELLS)[:, None]  # (CELLS, POSES)
    go = torch.where(arrived, 0, FARTHEST).expand(len(road), -1, -1)
    on_road = road[:, None, head] | arrived
    for _ in range(FARTHEST):
        ahead = torch.where(on_road, go, FARTHEST)[:, :, moved].amin(3)
        go = torch.minimum(go, ahead + 1)
    return go


class Sight(nn.Module):
    """Scores of actions given what is seen: see above."""

    def __init__(self, game: DrivingGame, hidden: int) -> None:
        super().__init__()
        self.moved, self.head, road = move_table(), torch.arange(POSES) // 4, game.layouts.road
        self.off_road, self.to_go = off_road_table(road).float(), moves_to_go(road).float()
        self.weigh = nn.Linear(len(PROSPECTS), 1, bias=False)
        self.perceive = nn.Sequential(game.encoder(hidden), nn.Tanh(), nn.Linear(hidden, ACTIONS))
        for each in (self.weigh.weight, *self.perceive[-1].parameters()):
            nn.init.zeros_(each)  # an untrained driver acts uniformly

    def prospects(self, seen: Tensor) -> Tensor:
        """Those of each action, (n, actions, prospects); for a car that has left the road, those of any car."""
        where, pose, goal = seen.unbind(1)
        pose = torch.where(pose == GONE, 0, pose)
        after, there, towards = self.moved[pose], where[:, None], goal[:, None]  # (n, actions), (n, 1), (n, 1)
        nearer = self.to_go[there, towards, pose[:, None]] - self.to_go[there, towards, after]
        waits = torch.zeros(after.shape).index_fill(1, torch.tensor([WAIT]), 1.0)
        return torch.stack([self.off_road[there, after], nearer, (self.head[after] == towards).float(), waits], dim=2)

    def forward(self, seen: Tensor) -> Tensor:
        """Scores (n, actions) of those who see (n, 3)."""
        return self.weigh(self.prospects(seen))[..., 0] + self.perceive(seen)


class HumanDriver(nn.Module):
    """p(action | seen, heard) of humans; what is heard makes actions likelier or less likely."""

    def __init__(self, game: DrivingGame, hidden: int, words: int) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "words": words}
        self.words = words
        self.see = Sight(game, hidden)
        self.hear = nn.Linear(words, ACTIONS, bias=False)
        nn.init.zeros_(self.hear.weight)  # words start without meaning

    def log_prob(self, seen: Tensor, heard: Tensor | None) -> Tensor:
        """log p(action | seen, heard), (n, actions); of a deaf driver if `heard` is not given."""
        logits = self.see(seen)
        return torch.log_softmax(logits if heard is None else logits + self.hear(heard), dim=1)


def fit_driver(
    game: DrivingGame, moves: Moves, held_out: Moves, config: FitConfig, generator: torch.Generator
) -> HumanDriver:
    """Fit a driver to `moves`: the prospects, then everything seen, then the effect of words."""
    driver = seeded(lambda: HumanDriver(game, config.hidden, moves.heard.shape[1]), generator)
    quick = config.model_copy(update={"learning_rate": QUICKER * config.learning_rate})

    def error(listens: bool, batch: int) -> Tensor:
        some = torch.randint(len(moves.action), (batch,), generator=generator)
        return -log_likelihood(driver, moves.chosen(some), listens).mean()

    def held_out_error(listens: bool) -> float:
        return -float(log_likelihood(driver, held_out, listens).mean())

    for part, how, listens in (
        (driver.see.weigh, quick, False),
        (driver.see.perceive, config, False),
        (driver.hear, config, True),
    ):
        name = "human driver" if listens else "human driver, deaf"
        fit(part, partial(error, listens), partial(held_out_error, listens), how, name)
    return driver


def log_likelihood(driver: HumanDriver, moves: Moves, listens: bool) -> Tensor:
    """log p of each move, (n,), of a driver who listens or does not."""
    log_prob = driver.log_prob(moves.seen, moves.heard if listens else None)
    return log_prob.gather(1, moves.action[:, None])[:, 0]


@torch.no_grad()
def held_out_gain(driver: HumanDriver, moves: Moves) -> dict[str, float]:
    """By how many nats per move words improve the prediction of held-out moves; moves of a game count as one."""
    listening, deaf = (log_likelihood(driver, moves, listens).double().numpy() for listens in (True, False))
    game = moves.game.numpy()
    found = {"listening": float(listening.mean()), "deaf": float(deaf.mean())}
    found |= dict(zip(("gain", "gain_error", "p_value"), paired_test(listening, deaf, game), strict=True))
    return found | {"moves": len(game), "games": len(moves.game.unique())}


@dataclass(frozen=True)
class ModelHuman:
    """A model human as a driver: acts by `driver`, speaks by p(z | x), both sampled."""

    driver: HumanDriver
    speaker: HumanSpeaker
    heard: Tensor  # (phrases, words) what is heard for each phrase; nothing for silence
    silence: int

    def begin(self, games: int) -> tuple[Tensor, Tensor]:
        """See `loop.Driver`: memory holds words, and what is heard is a phrase."""
        return torch.zeros(games, self.driver.words), torch.full((games,), self.silence)

    def step(self, seen: Tensor, heard: Tensor, memory: Tensor, chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
        memory = FADING * memory + self.heard[heard]
        gone = seen[:, 1] == GONE
        action = chance.draw(self.driver.log_prob(seen, memory))
        return action, torch.where(gone, self.silence, self.says(seen, chance)), memory

    def says(self, seen: Tensor, chance: Chance) -> Tensor:
        """A phrase of the inventory, or silence as often as people are silent: (n,)."""
        log_prob = self.speaker.log_prob(seen).T
        silent = chance.uniform() < log_prob[:, self.silence].exp()
        aloud = log_prob.index_fill(1, torch.tensor([self.silence]), -torch.inf)
        return torch.where(silent, self.silence, chance.draw(aloud))


def fit_model_human(run: Run, settings: Mapping[str, Any]) -> tuple[HumanDriver, dict[str, Any]]:
    """Fit the driver of the model human; and the contents of `driver.json`: the value of words on held-out moves."""
    moves = {split: load_moves(run.files, split) for split in ("train", "dev", "test")}
    config, random = FITTING.model_copy(update=settings), run.generator("human driver")
    driver = fit_driver(run.states, moves["train"], moves["dev"], config, random)
    held_out = {split: held_out_gain(driver, moves[split]) for split in ("dev", "test")}
    return driver, {"held_out": held_out, "data": run.data}
