"""The paper's belief evaluation: a listener hears a (translated) message and guesses which state the speaker was in.

    R -> R    a robot hears a robot's message                 H -> H*   the model human hears a human's words
    R -> H*   the model human hears its translation           H -> R    a robot hears the translation of a phrase

A guess between the true state and its distractor is worth 1 if right, 0 if wrong and 1/2 if the listener is
indifferent. The *random* criterion draws a new translation for every message. What humans say is what they said
aloud: silence is a phrase into which a message may be translated, but it is not evaluated as a message.

In a reference game the robot guesses by playing: it picks an item. In the driving game nobody is asked for the
speaker's state, so the robot's guess is the state in which its own language makes the message more likely, by p(z | x).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.messages import Speech
from neuralese.agents.players import guess
from neuralese.evaluate.statistics import bootstrap_interval
from neuralese.games.game import Game
from neuralese.games.reference import ReferenceGame, coins
from neuralese.speakers.models import HumanListener, RobotSpeaker
from neuralese.speakers.traces import Traces


@dataclass(frozen=True)
class HumanSpeech:
    """What humans said on held-out states."""

    states: Tensor  # (n, 2, ...)
    bags: Tensor  # (n, words) all that was said
    phrases: Tensor  # (n,) one phrase of it, to be translated
    games: Tensor  # (n,) which messages belong together

    @classmethod
    def draw(cls, game: Game, traces: Traces, silence: int | None, n: int, generator: torch.Generator) -> "HumanSpeech":
        """Draw `n` messages from `traces`, all equally often, each time with another distractor."""
        spoken = traces.spoken(silence)
        order = spoken[torch.randperm(len(spoken), generator=generator)]
        chosen = order.repeat(-(-n // len(order)))[:n]
        states = game.redraw(traces.states[chosen], generator)
        phrases = traces.phrases.one(chosen, generator)
        return cls(states, traces.words.bags(chosen), phrases, traces.games[chosen])

    @property
    def repeated(self) -> bool:
        """Whether several messages are of one game."""
        return len(self.games.unique()) < len(self.games)


Guess = Callable[[Tensor, Tensor, torch.Generator], Tensor]


def guess_by_playing(cell: Cell, game: ReferenceGame) -> Guess:
    """How a robot that hears messages guesses in a reference game, the target being shown on a random side."""
    return lambda messages, states, generator: guess(cell, game, messages, states, coins(len(states), generator))


def guess_by_likelihood(speaker: RobotSpeaker, game: Game) -> Guess:
    """How a robot guesses by p(z | x) of its own language."""

    @torch.no_grad()
    def preference(messages: Tensor, states: Tensor, generator: torch.Generator) -> Tensor:
        true, distractor = (speaker.mean(game.speaker_view(each)) for each in game.candidates(states).unbind(1))
        return (messages - distractor).square().sum(1) - (messages - true).square().sum(1)

    return preference


def robot_guess(game: Game, cell: Cell, speaker: RobotSpeaker) -> Guess:
    """How the robot guesses in this game."""
    return guess_by_playing(cell, game) if isinstance(game, ReferenceGame) else guess_by_likelihood(speaker, game)


@dataclass(frozen=True)
class Listeners:
    """The robot and the model human, ready to guess in one game."""

    game: Game
    robot: Guess  # by how much the true state is preferred to the distractor
    human: HumanListener
    heard: Tensor  # (phrases, words) as which bag the model human hears each phrase

    def robot_credit(self, messages: Tensor, states: Tensor, generator: torch.Generator) -> np.ndarray:
        """Credit (n,) of the robot's guesses."""
        return _credit(self.robot(messages, states, generator))

    @torch.no_grad()
    def human_credit(self, bags: Tensor, states: Tensor) -> np.ndarray:
        """Credit (n,) of the model human's guesses from bags (n, words)."""
        true, distractor = self.game.candidates(states).unbind(1)
        fits = [self.human.score(self.game.human_view(candidate), bags) for candidate in (true, distractor)]
        return _credit(fits[0] - fits[1])


def _credit(preference: Tensor) -> np.ndarray:
    return ((preference > 0).double() + 0.5 * (preference == 0).double()).numpy()


def best_translations(dictionary: pd.DataFrame, direction: str, criterion: str) -> dict[int, int]:
    """The first-ranked target of every source message."""
    rows = dictionary.query("direction == @direction and criterion == @criterion and rank == 1")
    return dict(zip(rows["source_id"], rows["target_id"], strict=True))


def evaluate_belief(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    dictionary: pd.DataFrame,
    vocabulary: Speech,
    silence: int | None,
    resamples: int,
    generator: torch.Generator,
) -> pd.DataFrame:
    """Play every pair of speaker and listener under every criterion of the dictionary.

    `vocabulary` is the neuralese into which phrases are translated, `silence` the phrase that says nothing. Columns of
    the result: speaker, listener, criterion, accuracy, ci_low, ci_high, n.
    """
    credits = {
        ("R", "R", "none"): listeners.robot_credit(robot.messages, robot.states, generator),
        ("H", "H*", "none"): listeners.human_credit(human.bags, human.states),
    }
    position = {int(message): row for row, message in enumerate(vocabulary.ids)}
    sayable = torch.tensor([phrase for phrase in range(len(listeners.heard)) if phrase != silence])
    for criterion in dictionary["criterion"].unique():
        if criterion == "random":
            phrases = sayable[torch.randint(len(sayable), (len(robot.ids),), generator=generator)]
            heard = torch.randint(len(position), (len(human.phrases),), generator=generator)
        else:
            to_phrase = best_translations(dictionary, "R->H", criterion)
            phrases = torch.tensor([to_phrase[int(message)] for message in robot.ids])
            to_message = best_translations(dictionary, "H->R", criterion)
            heard = torch.tensor([position[to_message[int(phrase)]] for phrase in human.phrases])
        credits["R", "H*", criterion] = listeners.human_credit(listeners.heard[phrases], robot.states)
        credits["H", "R", criterion] = listeners.robot_credit(vocabulary.messages[heard], human.states, generator)
    bootstrap = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
    rows = []
    for (speaker, listener, criterion), values in credits.items():
        games = human.games.numpy() if speaker == "H" and human.repeated else None
        low, high = bootstrap_interval(values, bootstrap, resamples, games)
        rows.append((speaker, listener, criterion, values.mean(), low, high, len(values)))
    return pd.DataFrame(rows, columns=["speaker", "listener", "criterion", "accuracy", "ci_low", "ci_high", "n"])
