"""States, which speakers are in and listeners must guess, and games, all batched.

A *state* always comes with distractors, which are equally likely given what the listener sees: (n, s, ...) integers,
the true state first and s - 1 others after it. These are the listener's *candidates*; there are at least two.

A task without a game (recorded data) has only states; a `Game` adds how to get from one to the next, and knows nothing
of agents or languages. One call advances thousands of games by a step; the batch comes first, the two players second.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

World = TypeVar("World")
Redraw = Callable[[Tensor, torch.Generator], Tensor]  # states (n, s, ...) -> the same with other distractors


class Question(NamedTuple):
    """How a game asks its listeners which state the speaker is in: by an action."""

    seen: Tensor  # (n, *observation_shape)
    picks: Tensor  # (n, s) the action that picks each candidate


class States(ABC):
    """The states of a task, as models see them and as tables hold them."""

    n_candidates: int = 2
    observation_shape: tuple[int, ...]  # of one player at one step, as integers (ids, cells, roles)
    distractors: str = "play"  # how they are drawn: like the true states, unless stated otherwise
    asks: bool = False  # whether the game asks its listeners for the state (see `question`)

    @abstractmethod
    def encoder(self, width: int) -> nn.Module:
        """A fresh module that looks up observations (n, *observation_shape) and maps them to (n, width)."""

    @abstractmethod
    def with_distractors(self, true: Tensor, generator: torch.Generator) -> Tensor:
        """States (n, s, ...) made of true ones (n, ...) and distractors, drawn from all of `true` in the same way."""

    def redraw(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """The same states (n, s, ...) with other distractors."""
        return self.with_distractors(states[:, 0], generator)

    def practise(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """Like `redraw`, for the many draws of a training: states may use a simpler draw there."""
        return self.redraw(states, generator)

    def alike(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """`states` (n, s, ...) made harder: each distractor is as like the true state as can be; none by default."""
        return states[:0]

    def other_distractors(self) -> dict[str, Redraw]:
        """Further ways to draw distractors, by name; listeners are also tested under these."""
        return {}

    def draw_states(self, count: int, generator: torch.Generator) -> Tensor | None:
        """Fresh states (count, s, ...) in which somebody speaks first; none if speakers must be overheard in play."""
        return None

    def to_columns(self, states: Tensor) -> dict[str, Tensor]:
        """`states` as columns (n,) of a table: for states that are numbers, `target`, `other`, `other_2`, ..."""
        return dict(zip(state_columns(states.shape[1]), states.T, strict=True))

    def from_columns(self, columns: dict[str, Tensor]) -> Tensor:
        """The inverse of `to_columns`."""
        return torch.stack([columns[name] for name in state_columns(self.n_candidates)], dim=1)

    def codes(self, states: Tensor) -> Tensor:
        """One number for each candidate, (n, s), by which pictures are found: by default, the state itself."""
        return states

    def candidates(self, states: Tensor) -> Tensor:
        """Each candidate as the state in which it is true: (n, s, s, ...) from (n, s, ...), the true one first.

        All are equally likely before anything is said. The others keep their order.
        """
        every = range(states.shape[1])
        return states[:, torch.tensor([[each, *(other for other in every if other != each)] for each in every])]

    def speaker_view(self, states: Tensor) -> Tensor:
        """What a robot that speaks in `states` observes, (n, *observation_shape): by default, the true state."""
        return states[:, 0]

    def human_view(self, states: Tensor) -> Tensor:
        """What a human who speaks in `states` has seen, as an observation: (n, *observation_shape)."""
        return self.speaker_view(states)

    def blank(self) -> Tensor:
        """What listeners see for one step before the question: (*observation_shape,)."""
        raise TypeError(f"{type(self).__name__} asks nobody for a state; see `asks`.")

    def question(self, states: Tensor, generator: torch.Generator) -> Question:
        """What listeners are shown when asked for the state, if the game asks them."""
        raise TypeError(f"{type(self).__name__} asks nobody for a state; see `asks`.")


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


def prefixes(candidates: int) -> list[str]:
    """The prefix of a state's columns, by candidate: nothing, `other_`, `other_2_`, `other_3_`, ..."""
    return ["", "other_", *(f"other_{number}_" for number in range(2, candidates))][:candidates]


def state_columns(candidates: int) -> list[str]:
    """The columns of a state that is a number: target, other, other_2, ..."""
    return ["target", *(prefix.rstrip("_") for prefix in prefixes(candidates)[1:])]
