"""Those who guess which state a speaker was in: the robot (R, or R* if it cannot be asked) and the model human (H*).

If a game asks its listeners for the state, the robot guesses by playing: in a reference game it picks an item. If
nobody is asked, the guess is that of R*, who takes the state in which p(z | x) makes the message most likely. In a
corpus, R* hears translations by a p(z | x) of its own, fitted to messages that the dictionary did not see; in a game
without questions its p(z | x) also translates, so translator and judge are then not independent.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import listening
from neuralese.games.game import Game
from neuralese.games.states import States
from neuralese.speakers.models import HumanListener, Speaker

# messages (n, message), states (n, s, ...) -> how much each candidate is preferred, (n, s), the true one first
Guess = Callable[[Tensor, Tensor, torch.Generator], Tensor]


def guess_by_playing(cell: Cell, game: Game) -> Guess:
    """How a robot that hears messages answers its game's question about the state."""
    listen = listening(cell, game)
    last: list[Tensor] = []  # what was seen when last asked, and that encoded: ways are compared on the same questions

    @torch.no_grad()
    def preference(messages: Tensor, states: Tensor, generator: torch.Generator) -> Tensor:
        asked = game.question(states, generator)
        if not last or not torch.equal(last[0], asked.seen):
            last[:] = asked.seen, cell.encode_observation(asked.seen)
        q = listen(torch.tanh(last[1] + cell.encode_message(messages)))
        return q.gather(1, asked.picks)

    return preference


def guess_by_likelihood(speaker: Speaker, states: States) -> Guess:
    """How a robot guesses by p(z | x) of its own language: the candidate in which the message is most likely."""
    space = states

    @torch.no_grad()
    def preference(messages: Tensor, states: Tensor, generator: torch.Generator) -> Tensor:
        views = (space.speaker_view(each) for each in space.candidates(states).unbind(1))
        return torch.stack([speaker.log_prob_each(messages, view) for view in views], dim=1)

    return preference


@dataclass(frozen=True)
class Listeners:
    """The robot and the model human, ready to guess in one game."""

    states: States
    robot: Guess
    human: HumanListener
    name: str  # of the robot as a listener: R if it is asked, R* if p(z | x) stands in for it
    judge: Guess | None = None  # of the robot that hears translations, if not the same

    @classmethod
    def of(
        cls, states: States, cell: Cell | None, speaker: Speaker, human: HumanListener, judge: Speaker | None = None
    ) -> "Listeners":
        """The listeners of a game, whose agent is `cell`, or of states without a game.

        A robot that is not asked hears translations by the p(z | x) of `judge`, by default that of `speaker`.
        """
        if states.asks:
            return cls(states, guess_by_playing(cell, states), human, "R")  # type: ignore[arg-type]  # it is a game
        hearing = None if judge is None else guess_by_likelihood(judge, states)
        return cls(states, guess_by_likelihood(speaker, states), human, "R*", hearing)

    def robot_credit(self, messages: Tensor, states: Tensor, generator: torch.Generator) -> np.ndarray:
        """Credit (n,) of the robot's guesses from a robot's own messages: see `credit`."""
        return credit(self.robot(messages, states, generator))

    def translated_credit(self, messages: Tensor, states: Tensor, generator: torch.Generator) -> np.ndarray:
        """Credit (n,) of the robot's guesses from translations."""
        return credit((self.judge or self.robot)(messages, states, generator))

    def silent_credit(self, messages: Tensor, states: Tensor, generator: torch.Generator) -> np.ndarray:
        """Credit (n,) of the robot's guesses if it hears nothing when `messages` were said.

        A robot that plays then hears zeros, as it does before anybody speaks; R* prefers no candidate.
        """
        if self.states.asks:
            return self.robot_credit(torch.zeros_like(messages), states, generator)
        return np.full(len(states), 1 / states.shape[1])

    @torch.no_grad()
    def human_credit(self, bags: Tensor, states: Tensor) -> np.ndarray:
        """Credit (n,) of the model human's guesses from bags (n, words)."""
        views = (self.states.human_view(candidate) for candidate in self.states.candidates(states).unbind(1))
        return credit(torch.stack([self.human.score(view, bags) for view in views], dim=1))


def credit(preference: Tensor) -> np.ndarray:
    """Credit (n,) of guesses by how much each candidate is preferred, (n, s): 1 if right, 0 if wrong.

    A listener that prefers several candidates equally guesses one of them: with two, the credit is a half.
    """
    best = preference == preference.max(1, keepdim=True).values
    return (best[:, 0].double() / best.sum(1)).numpy()
