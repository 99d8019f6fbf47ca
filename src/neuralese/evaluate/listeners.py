"""Those who guess which state a speaker was in: the robot (R, or R* if it cannot be asked) and the model human (H*).

If a game asks its listeners for the state, the robot guesses by playing: in a reference game it picks an item. If
nobody is asked, the guess is that of R*, who takes the state in which p(z | x) makes the message most likely. In a
corpus, R* hears translations by a p(z | x) of its own, fitted to messages that the dictionary did not see; in a game
without questions its p(z | x) also translates, so translator and judge are then not independent. English is judged by
H*, and in reference games by others as well (`judges`).

Another judge is a subclass of `Listener` with the one method `preferences`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import listening
from neuralese.games.states import Game, States
from neuralese.speakers.models import HumanListener, HumanSpeaker, Speaker

Random = torch.Generator | None
UNLIKELY, LIKELIEST = 0.01, 5


class Listener(ABC):
    """Guesses the speaker's state: on hearing something, it prefers some candidates to others."""

    name: str  # in tables

    @abstractmethod
    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        """How much each candidate of `states` (n, s, ...) is preferred, (n, s), the true one first.

        A listener that consists of several returns (several, n, s).
        `heard` (n, ...) are messages or bags of words, or None if nothing is heard. A game that asks its listeners
        shows candidates at places drawn from the generator.
        """

    def credit(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> np.ndarray:
        """Credit (n,) of the guesses: see `credit`."""
        return credit(self.preferences(heard, states, generator))

    def unaware(self) -> "Listener":
        """The same without knowledge of the very words that are judged, if people said them of the true state."""
        return self


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


class ModelHuman(Listener):
    """The model human, who hears bags of words; its networks are so many listeners."""

    name = "H*"

    def __init__(self, listener: HumanListener, states: States) -> None:
        self.listener, self.states = listener, states
        # the states when last asked, and how each word describes each candidate: conditions are compared on the same
        self.last: tuple[Tensor, list[Tensor]] | None = None

    @torch.no_grad()
    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        if heard is None:
            return torch.zeros(states.shape[:2])
        if self.last is None or not torch.equal(self.last[0], states):
            views = (self.states.human_view(each) for each in self.states.candidates(states).unbind(1))
            self.last = states, [self.listener.fits(view) for view in views]
        return torch.stack([(fits * heard).sum(-1) for fits in self.last[1]], dim=-1)


@dataclass(frozen=True)
class Listeners:
    """Those who guess in one game."""

    states: States
    robot: Listener  # hears robots
    judge: Listener  # a robot that hears translations
    human: Listener
    others: Sequence[Listener] = ()  # who judge English besides the model human
    words: Tensor | None = None  # (phrases, words) what they hear for each phrase, if not the phrase itself
    people: HumanSpeaker | None = None  # p(z | x) of those people who judge, none of whom translates

    @classmethod
    def of(
        cls,
        states: States,
        cell: Cell | None,
        speaker: Speaker,
        human: HumanListener,
        judge: Speaker | None = None,
        **english: Any,
    ) -> "Listeners":
        """The listeners of a game, whose agent is `cell`, or of states without a game.

        A robot that is not asked hears translations by the p(z | x) of `judge`, by default that of `speaker`.
        """
        if states.asks:
            robot: Listener = PlayingRobot(cell, states)  # type: ignore[arg-type]  # it is a game
            return cls(states, robot, robot, ModelHuman(human, states), **english)
        robot = ModelRobot(speaker, states)
        hears = robot if judge is None else ModelRobot(judge, states)
        return cls(states, robot, hears, ModelHuman(human, states), **english)

    def heard(self, phrases: Tensor) -> Tensor:
        """The bags of words (n, words) that judges hear for bags of phrases (n, phrases)."""
        return phrases if self.words is None else phrases @ self.words

    @torch.no_grad()
    def likelihoods(self, states: Tensor) -> Tensor | None:
        """p(phrase | x) of people who speak in the true states, (n, phrases); none if it was not fitted."""
        if self.people is None:
            return None
        log_prob = self.people.log_prob(self.states.human_view(states)).T
        if self.people.silence is not None:
            log_prob = log_prob.index_fill(1, torch.tensor([self.people.silence]), -torch.inf)
        return log_prob.exp()


def credit(preference: Tensor) -> np.ndarray:
    """Credit (n,) of guesses by how much each candidate is preferred, (n, s): 1 if right, 0 if wrong.

    A listener that prefers several candidates equally guesses one of them: with two, the credit is a half. Of several
    listeners, (several, n, s), it is the mean.
    """
    best = preference == preference.max(-1, keepdim=True).values
    shared = best[..., 0].double() / best.sum(-1)
    return (shared.mean(0) if shared.ndim > 1 else shared).numpy()


def ties(preference: Tensor) -> float:
    """How often listeners prefer two or more candidates equally, given preferences as for `credit`."""
    best = preference == preference.max(-1, keepdim=True).values
    return float((best.sum(-1) > 1).double().mean())


def truthfulness(likelihoods: Tensor | None, phrases: Tensor | None) -> dict[str, float]:
    """Of bags of phrases (n, phrases), how many people would hardly say of the target, and how many it brings to mind.

    truth: the share of phrases that people say of it in under 1 % of cases; said: that are among its five likeliest.
    """
    if likelihoods is None or phrases is None:
        return {"truth": np.nan, "said": np.nan}
    likeliest = torch.zeros_like(likelihoods).scatter(1, likelihoods.topk(min(LIKELIEST, phrases.shape[1])).indices, 1)
    return {
        "truth": float((phrases * (likelihoods < UNLIKELY)).sum() / phrases.sum()),
        "said": float((phrases * likeliest).sum() / phrases.sum()),
    }
