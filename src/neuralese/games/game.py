"""The interface of every game, batched: one call advances thousands of games by a step.

A game knows nothing of agents or languages. Its tensors have the batch first and the two players second.
"""

from abc import abstractmethod
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor

from neuralese.games.states import States

World = TypeVar("World")


class Outcome(NamedTuple):
    """The outcome of one step."""

    reward: Tensor  # (batch,) shared by both players
    done: Tensor  # (batch,) bool: the game ended with this step
    success: Tensor  # (batch,) bool: it ended in success


class Game(States, Generic[World]):
    """A cooperative game of two players, a (0) and b (1), who see different things and may talk."""

    n_actions: int
    max_steps: int  # no game lasts longer

    @abstractmethod
    def reset(self, batch: int, generator: torch.Generator) -> World:
        """Start `batch` fresh games."""

    @abstractmethod
    def observe(self, world: World) -> Tensor:
        """What the players see: (batch, 2, *observation_shape)."""

    @abstractmethod
    def acting(self, world: World) -> Tensor:
        """Whose action counts at this step: (batch, 2) bool."""

    @abstractmethod
    def step(self, world: World, actions: Tensor) -> tuple[World, Outcome]:
        """Play the actions (batch, 2)."""
