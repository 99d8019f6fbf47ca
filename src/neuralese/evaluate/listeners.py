"""Those who guess which state a speaker was in: the robot (R, or R* where it cannot be asked) and the model human (H*).

In a reference game the robot guesses by playing: it picks an item. In the driving game nobody is asked for the
speaker's state, so the guess is that of R*, who takes the state in which p(z | x) makes the message more likely. That
model also translates, so there translator and judge are not independent.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.games.game import Game
from neuralese.games.reference import LEFT, RIGHT, ReferenceGame, coins
from neuralese.speakers.gaussian import log_odds
from neuralese.speakers.models import HumanListener, RobotSpeaker
from neuralese.translate.pragmatics import listening

# messages (n, message), states (n, 2, ...) -> by how much the true state is preferred to the distractor, (n,)
Guess = Callable[[Tensor, Tensor, torch.Generator], Tensor]


def guess_by_playing(cell: Cell, game: ReferenceGame) -> Guess:
    """How a robot that hears messages guesses in a reference game, the target being shown on a random side."""
    listen = listening(cell, game)

    @torch.no_grad()
    def preference(messages: Tensor, states: Tensor, generator: torch.Generator) -> Tensor:
        right = coins(len(states), generator)
        seen = cell.encode_observation(game.listener_view(states, right))
        q = listen(torch.tanh(seen + cell.encode_message(messages)))
        return torch.where(right, 1, -1) * (q[:, RIGHT] - q[:, LEFT])

    return preference


def guess_by_likelihood(speaker: RobotSpeaker, game: Game) -> Guess:
    """How a robot guesses by p(z | x) of its own language."""

    @torch.no_grad()
    def preference(messages: Tensor, states: Tensor, generator: torch.Generator) -> Tensor:
        true, distractor = (speaker.mean(game.speaker_view(each)) for each in game.candidates(states).unbind(1))
        return log_odds(messages, true, distractor)

    return preference


@dataclass(frozen=True)
class Listeners:
    """The robot and the model human, ready to guess in one game."""

    game: Game
    robot: Guess
    human: HumanListener
    name: str  # of the robot as a listener: R if it is asked, R* if p(z | x) stands for it

    @classmethod
    def of(cls, game: Game, cell: Cell, speaker: RobotSpeaker, human: HumanListener) -> "Listeners":
        """Those of a game."""
        if isinstance(game, ReferenceGame):
            return cls(game, guess_by_playing(cell, game), human, "R")
        return cls(game, guess_by_likelihood(speaker, game), human, "R*")

    def robot_credit(self, messages: Tensor, states: Tensor, generator: torch.Generator) -> np.ndarray:
        """Credit (n,) of the robot's guesses: 1 if right, 0 if wrong, 1/2 if indifferent."""
        return _credit(self.robot(messages, states, generator))

    @torch.no_grad()
    def human_credit(self, bags: Tensor, states: Tensor) -> np.ndarray:
        """Credit (n,) of the model human's guesses from bags (n, words)."""
        true, distractor = self.game.candidates(states).unbind(1)
        fits = [self.human.score(self.game.human_view(candidate), bags) for candidate in (true, distractor)]
        return _credit(fits[0] - fits[1])


def _credit(preference: Tensor) -> np.ndarray:
    return ((preference > 0).double() + 0.5 * (preference == 0).double()).numpy()
