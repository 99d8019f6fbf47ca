"""Those who guess which state a speaker was in: the robot (R, or R* if it cannot be asked) and the model human (H*).

If a game asks its listeners for the state, the robot guesses by playing: in a reference game it picks an item. If
nobody is asked, the guess is that of R*, who takes the state in which p(z | x) makes the message most likely. In a
corpus, R* hears translations by a p(z | x) of its own, fitted to messages that the dictionary did not see; in a game
without questions its p(z | x) also translates, so translator and judge are then not independent.

Another judge is a subclass of `Listener` with the one method `preferences`.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import listening
from neuralese.games.game import Game
from neuralese.games.states import States
from neuralese.speakers.models import HumanListener, Speaker

Random = torch.Generator | None


class Listener(ABC):
    """Guesses the speaker's state: on hearing something, it prefers some candidates to others."""

    name: str  # in tables

    @abstractmethod
    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        """How much each candidate of `states` (n, s, ...) is preferred, (n, s), the true one first.

        `heard` (n, ...) are messages or bags of words, or None if nothing is heard. A game that asks its listeners
        shows candidates at places drawn from the generator.
        """

    def credit(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> np.ndarray:
        """Credit (n,) of the guesses: see `credit`."""
        return credit(self.preferences(heard, states, generator))


class PlayingRobot(Listener):
    """A robot that answers its game's question about the state; it hears zeros before anybody speaks."""

    name = "R"

    def __init__(self, cell: Cell, game: Game) -> None:
        self.cell, self.game, self.listen = cell, game, listening(cell, game)
        # what was seen when last asked, and that encoded: conditions are compared on the same questions
        self.last: tuple[Tensor, Tensor] | None = None

    @torch.no_grad()
    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        if heard is None:
            heard = torch.zeros(len(states), self.cell.config.message)
        asked = self.game.question(states, generator or torch.Generator())
        if self.last is None or not torch.equal(self.last[0], asked.seen):
            self.last = asked.seen, self.cell.encode_observation(asked.seen)
        return self.listen(torch.tanh(self.last[1] + self.cell.encode_message(heard))).gather(1, asked.picks)


@dataclass(frozen=True)
class ModelRobot(Listener):
    """A robot that guesses by p(z | x) of its language: the candidate in which the message is most likely."""

    speaker: Speaker
    states: States
    name = "R*"

    @torch.no_grad()
    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        if heard is None:
            return torch.zeros(states.shape[:2])
        views = (self.states.speaker_view(each) for each in self.states.candidates(states).unbind(1))
        return torch.stack([self.speaker.log_prob_each(heard, view) for view in views], dim=1)


@dataclass(frozen=True)
class ModelHuman(Listener):
    """The model human, who hears bags of words."""

    listener: HumanListener
    states: States
    name = "H*"

    @torch.no_grad()
    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        if heard is None:
            return torch.zeros(states.shape[:2])
        views = (self.states.human_view(each) for each in self.states.candidates(states).unbind(1))
        return torch.stack([self.listener.score(view, heard) for view in views], dim=1)


@dataclass(frozen=True)
class Listeners:
    """Those who guess in one game."""

    states: States
    robot: Listener  # hears robots
    judge: Listener  # a robot that hears translations
    human: Listener

    @classmethod
    def of(
        cls, states: States, cell: Cell | None, speaker: Speaker, human: HumanListener, judge: Speaker | None = None
    ) -> "Listeners":
        """The listeners of a game, whose agent is `cell`, or of states without a game.

        A robot that is not asked hears translations by the p(z | x) of `judge`, by default that of `speaker`.
        """
        if states.asks:
            robot: Listener = PlayingRobot(cell, states)  # type: ignore[arg-type]  # it is a game
            return cls(states, robot, robot, ModelHuman(human, states))
        robot = ModelRobot(speaker, states)
        return cls(states, robot, robot if judge is None else ModelRobot(judge, states), ModelHuman(human, states))


def credit(preference: Tensor) -> np.ndarray:
    """Credit (n,) of guesses by how much each candidate is preferred, (n, s): 1 if right, 0 if wrong.

    A listener that prefers several candidates equally guesses one of them: with two, the credit is a half.
    """
    best = preference == preference.max(1, keepdim=True).values
    return (best[:, 0].double() / best.sum(1)).numpy()
