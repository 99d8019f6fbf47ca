"""Two drivers of any kind who play the same games under several conditions.

    pair = Pair("R/R", (robot, robot), game, Start.of(run, "test", 4000))
    outcomes = pair.play([Condition("neuralese", "no translation", "native", unchanged), ...])

Everything the drivers say passes through a channel, which is what a condition lets them hear. Randomness does not
depend on the channel: game k at step t has the same noise and the same dice for its drivers, so games that begin
identically can be compared one by one. A game that is over is not played any further.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.evaluate.outcomes import Condition, Outcome
from neuralese.games.driving import DrivingGame, DrivingWorld
from neuralese.randomness import generator
from neuralese.stages.run import Run


class Chance:
    """Random numbers for all games of a batch, from which those still going on take theirs."""

    def __init__(self, seed: int, who: str, games: int) -> None:
        self.random, self.games = generator(seed, who), games
        self.going = torch.arange(games)

    def normal(self, width: int) -> Tensor:
        """Standard normal numbers (going, width)."""
        return torch.randn(self.games, width, generator=self.random).index_select(0, self.going)

    def uniform(self) -> Tensor:
        """Numbers between 0 and 1, (going,)."""
        return torch.rand(self.games, generator=self.random)[self.going]

    def choose(self, options: Tensor) -> Tensor:
        """One of `options` (k, ...) for each game, (going, ...)."""
        return options[(self.uniform() * len(options)).long()]

    def draw(self, log_prob: Tensor) -> Tensor:
        """One of the columns of `log_prob` (going, k) for each row, sampled from it: (going,)."""
        cumulated = log_prob.double().exp().cumsum(1)
        at = self.uniform().double()[:, None] * cumulated[:, -1:]
        return (cumulated <= at).sum(1).clamp(max=log_prob.shape[1] - 1)


@dataclass(frozen=True)
class Start:
    """Games about to begin, and the seed of their randomness."""

    world: DrivingWorld
    seed: int

    @classmethod
    def of(cls, run: Run, what: str, games: int) -> "Start":
        """Fresh games of a run."""
        random = run.generator(f"closed loop {what}")
        return cls(run.states.reset(games, random), int(torch.randint(2**31, (), generator=random)))


class Driver(Protocol):
    """Sees, hears, acts and speaks."""

    def begin(self, games: int) -> tuple[Tensor, Tensor]:
        """Memory (games, ...) and what is heard (games, ...) before anybody has spoken."""

    def step(self, seen: Tensor, heard: Tensor, memory: Tensor, chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (n,), what is said (n, ...) and the new memory of drivers that see (n, 3)."""


@dataclass(frozen=True)
class Robot:
    """A trained cell; what it says has passed through its noisy channel."""

    cell: Cell

    def begin(self, games: int) -> tuple[Tensor, Tensor]:
        return self.cell.initial(games)

    def step(self, seen: Tensor, heard: Tensor, memory: Tensor, chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
        q, said, memory = self.cell(seen, heard, memory)
        return q.argmax(1), said + self.cell.config.noise * chance.normal(said.shape[1]), memory


class Said(NamedTuple):
    """What a channel is given, for games still going on."""

    time: int
    games: Tensor  # (n,) their numbers
    seen: Tensor  # (n, 2, 3) by each driver
    words: tuple[Tensor, Tensor]  # what each driver said: messages (n, message), or phrases (n,) of a human
    chance: Chance


Channel = Callable[[Said], tuple[Tensor, Tensor]]  # what is heard instead of the words of each driver


def unchanged(said: Said) -> tuple[Tensor, Tensor]:
    """A channel that translates nothing."""
    return said.words


class Turn(NamedTuple):
    """One step of the games that were not over before it."""

    games: Tensor  # (n,) their numbers
    seen: Tensor  # (n, 2, 3)
    words: tuple[Tensor, Tensor]  # what each driver said
    actions: Tensor  # (n, 2)
    reward: Tensor  # (n,)
    done: Tensor  # (n,) bool
    success: Tensor  # (n,) bool


@dataclass(frozen=True)
class Pair:
    """Two drivers and the games they play."""

    name: str
    seats: tuple[Driver, Driver]
    game: DrivingGame
    start: Start

    @torch.no_grad()
    def turns(self, channel: Channel) -> Iterator[Turn]:
        """Play to the end, passing everything said through `channel`."""
        world, games = self.start.world, len(self.start.world.map)
        going = torch.arange(games)
        own = [Chance(self.start.seed, f"driver {seat}", games) for seat in (0, 1)]
        between = Chance(self.start.seed, "carrier", games)
        memory, heard = zip(*(driver.begin(games) for driver in self.seats), strict=True)
        for time in range(self.game.max_steps):
            seen = self.game.observe(world)
            moved = [
                driver.step(seen[:, seat], heard[seat], memory[seat], own[seat])
                for seat, driver in enumerate(self.seats)
            ]
            each_action, words, memory = zip(*moved, strict=True)
            actions = torch.stack(each_action, dim=1)
            first, second = channel(Said(time, going, seen, words, between))
            world, outcome = self.game.step(world, actions)
            yield Turn(going, seen, words, actions, outcome.reward, outcome.done, outcome.success)
            on = torch.nonzero(~outcome.done).flatten()
            if not len(on):
                break
            world, going = world[on], going[on]
            memory = tuple(each.index_select(0, on) for each in memory)  # faster than an index
            heard = (second.index_select(0, on), first.index_select(0, on))
            for chance in (*own, between):
                chance.going = going

    def results(self, channel: Channel) -> dict[str, np.ndarray]:
        """The `reward` of each game and its `completion`, 0 or 1."""
        reward, completion = (torch.zeros(len(self.start.world.map), dtype=torch.float64) for _ in range(2))
        for turn in self.turns(channel):
            reward[turn.games] += turn.reward.double()
            completion[turn.games] += turn.success.double()
        return {"reward": reward.numpy(), "completion": completion.numpy()}

    def play(self, conditions: Iterable[Condition]) -> list[Outcome]:
        """Play the same games under every condition, which names the channel that is heard."""
        cell = {"pair": self.name}
        return [Outcome(each, cell, self.results(each.heard or unchanged)) for each in conditions]


def robots(run: Run, what: str, games: int) -> Pair:
    """Two copies of the robot in fresh games."""
    robot = Robot(run.cell)
    return Pair("R/R", (robot, robot), run.states, Start.of(run, what, games))
