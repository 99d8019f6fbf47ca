"""What every game offers, batched: one call moves thousands of games a step.

A game knows nothing of agents or languages. Its tensors have the batch first and the two players second.
"""

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

World = TypeVar("World")


class Outcome(NamedTuple):
    """What one step brought."""

    reward: Tensor  # (batch,) shared by both players
    done: Tensor  # (batch,) bool: the game ended with this step
    success: Tensor  # (batch,) bool: it ended as it should


class Game(ABC, Generic[World]):
    """A cooperative game of two players, a (0) and b (1), who see different things and may talk."""

    n_actions: int
    max_steps: int  # no game lasts longer
    observation_shape: tuple[int, ...]  # of one player at one step, as integers (ids, cells, roles)

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

    @abstractmethod
    def encoder(self, width: int) -> nn.Module:
        """A fresh module that looks observations (n, *observation_shape) up and maps them to (n, width)."""

    @abstractmethod
    def draw_states(self, batch: int, generator: torch.Generator) -> Tensor:
        """Draw states of a speaker, (batch, ...) integers, from p(x_a)."""

    @abstractmethod
    def candidates(self, states: Tensor) -> Tensor:
        """The true state and its distractors from p(x_a | x_b), equally likely before a word is said: (n, s, ...)."""

    @abstractmethod
    def speaker_view(self, states: Tensor) -> Tensor:
        """What a robot observes when it speaks in `states`: (n, *observation_shape)."""

    @abstractmethod
    def human_view(self, states: Tensor) -> Tensor:
        """What a human who speaks in `states` has seen, as an observation: (n, *observation_shape)."""
