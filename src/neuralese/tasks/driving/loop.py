"""Closed-loop driving: two drivers of any kind, and a carrier that everything they say passes through.

    played = converse(game, Start.of(run, "test", 4000), (robot, robot), carry)

Randomness does not depend on the carrier: game k at step t has the same channel noise and the same dice for its
drivers, so games that begin identically under two carriers can be compared one by one. A game that is over is not
played any further, which halves the work.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
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

    def draw(self, log_prob: Tensor) -> Tensor:
        """One of the columns of `log_prob` (going, k) for each row, sampled from it: (going,)."""
        cumulated = log_prob.double().exp().cumsum(1)
        at = self.uniform().double()[:, None] * cumulated[:, -1:]
        return (cumulated <= at).sum(1).clamp(max=log_prob.shape[1] - 1)


def seed_from(random: torch.Generator) -> int:
    """A seed for the randomness of games."""
    return int(torch.randint(2**31, (), generator=random))


@dataclass(frozen=True)
class Start:
    """Games about to begin, and their randomness: everything two conditions must share."""

    world: DrivingWorld
    seed: int

    @classmethod
    def of(cls, run: Run, what: str, games: int) -> "Start":
        """Fresh games of a run."""
        random = run.generator(f"closed loop {what}")
        return cls(run.states.reset(games, random), seed_from(random))


class Driver(Protocol):
    """Who drives a car: sees, hears, acts, says."""

    def begin(self, games: int) -> tuple[Tensor, Tensor]:
        """Memory (games, ...) and what is heard (games, ...) before anybody has spoken."""

    def step(self, seen: Tensor, heard: Tensor, memory: Tensor, chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (n,), what is said (n, ...) and the new memory of drivers that see (n, 3)."""


@dataclass(frozen=True)
class Robot:
    """A trained cell; what it says has passed through its channel."""

    cell: Cell

    def begin(self, games: int) -> tuple[Tensor, Tensor]:
        """See `Driver`."""
        return self.cell.initial(games)

    def step(self, seen: Tensor, heard: Tensor, memory: Tensor, chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
        """See `Driver`."""
        q, said, memory = self.cell(seen, heard, memory)
        return q.argmax(1), said + self.cell.config.noise * chance.normal(said.shape[1]), memory


class Said(NamedTuple):
    """What a carrier is given, for games still going on."""

    time: int
    games: Tensor  # (n,) their numbers
    seen: Tensor  # (n, 2, 3) by each player
    words: tuple[Tensor, Tensor]  # what each player said, (n, ...)
    chance: Chance


Carry = Callable[[Said], tuple[Tensor, Tensor]]  # returns what the *other* player hears instead, (n, ...) each


def untouched(said: Said) -> tuple[Tensor, Tensor]:
    """What is said is heard unchanged."""
    return said.words


class Turn(NamedTuple):
    """One step of the games that were not over before it."""

    games: Tensor  # (n,) their numbers
    seen: Tensor  # (n, 2, 3)
    words: tuple[Tensor, Tensor]  # what each player said
    actions: Tensor  # (n, 2)
    reward: Tensor  # (n,)
    done: Tensor  # (n,) bool
    success: Tensor  # (n,) bool


@torch.no_grad()
def turns(game: DrivingGame, start: Start, seats: tuple[Driver, Driver], carry: Carry) -> Iterator[Turn]:
    """Play from `start` to the end, passing everything said through `carry`."""
    games = len(start.world.map)
    world, going = start.world, torch.arange(games)
    own = [Chance(start.seed, f"driver {seat}", games) for seat in (0, 1)]
    between = Chance(start.seed, "carrier", games)
    memory, heard = zip(*(driver.begin(games) for driver in seats), strict=True)
    for time in range(game.max_steps):
        seen = game.observe(world)
        moved = [driver.step(seen[:, seat], heard[seat], memory[seat], own[seat]) for seat, driver in enumerate(seats)]
        each_action, words, memory = zip(*moved, strict=True)
        actions = torch.stack(each_action, dim=1)
        first, second = carry(Said(time, going, seen, words, between))
        world, outcome = game.step(world, actions)
        yield Turn(going, seen, words, actions, outcome.reward, outcome.done, outcome.success)
        on = torch.nonzero(~outcome.done).flatten()
        if not len(on):
            break
        world, going = world[on], going[on]
        memory = tuple(each.index_select(0, on) for each in memory)  # faster than an index
        heard = (second.index_select(0, on), first.index_select(0, on))
        for chance in (*own, between):
            chance.going = going


@dataclass(frozen=True)
class Played:
    """Results of games: reward, completion and number of steps, (n,) each."""

    reward: np.ndarray
    completion: np.ndarray
    steps: np.ndarray


def converse(game: DrivingGame, start: Start, seats: tuple[Driver, Driver], carry: Carry) -> Played:
    """Results of games in which everything said goes through `carry`."""
    reward, completion, steps = (torch.zeros(len(start.world.map), dtype=torch.float64) for _ in range(3))
    for turn in turns(game, start, seats, carry):
        reward[turn.games] += turn.reward.double()
        completion[turn.games] += turn.success.double()
        steps[turn.games] += 1
    return Played(reward.numpy(), completion.numpy(), steps.numpy())
