"""What every game offers, batched: one call moves thousands of games a step.

A game knows nothing of agents or languages. Its tensors have the batch first and the two players second.

A *state* of a speaker always comes with a distractor, which from what the listener sees is as likely: (n, 2, ...) of
integers, the true one first. Swapped, it is the state in which the distractor is true.
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
    def redraw(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """The same states (n, 2, ...) with other distractors, drawn from all of `states` as the true ones were."""

    @abstractmethod
    def to_columns(self, states: Tensor) -> dict[str, Tensor]:
        """`states` as columns (n,) of a table."""

    @abstractmethod
    def from_columns(self, columns: dict[str, Tensor]) -> Tensor:
        """What `to_columns` was given."""

    def candidates(self, states: Tensor) -> Tensor:
        """The true state and its distractor, equally likely before a word is said: (n, 2, 2, ...) from (n, 2, ...)."""
        return torch.stack([states, states.flip(1)], dim=1)

    @abstractmethod
    def speaker_view(self, states: Tensor) -> Tensor:
        """What a robot observes when it speaks in `states`: (n, *observation_shape)."""

    @abstractmethod
    def human_view(self, states: Tensor) -> Tensor:
        """What a human who speaks in `states` has seen, as an observation: (n, *observation_shape)."""
