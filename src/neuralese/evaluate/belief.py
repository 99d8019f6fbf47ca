"""The paper's belief evaluation: a listener hears a (translated) message and guesses which state the speaker was in.

    R -> R    a robot hears a robot's message                 H -> H*   the model human hears a human's words
    R -> H*   the model human hears its translation           H -> R    a robot hears the translation of a phrase

A guess between the true state and its distractor is worth 1 if right, 0 if wrong and 1/2 if the listener is
indifferent. The *random* criterion draws a new translation for every message. What humans say is what they said
aloud: silence can be translated into a message, as the behaviour evaluation needs it, but is not evaluated as one.

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
from neuralese.evaluate.statistics import bootstrap_interval, paired_test
from neuralese.games.game import Game
from neuralese.games.reference import LEFT, RIGHT, ReferenceGame, coins
from neuralese.speakers.models import HumanListener, RobotSpeaker
from neuralese.speakers.traces import Traces
from neuralese.translate.pragmatics import listening


@dataclass(frozen=True)
class HumanSpeech:
    """What humans said on held-out states."""

    states: Tensor  # (n, 2, ...)
    bags: Tensor  # (n, words) all that was said
    phrases: Tensor  # (n,) one phrase of it, to be translated
    games: Tensor  # (n,) which messages belong together
    said: Tensor  # (n, phrases) which phrases it is made of

    @classmethod
    def draw(cls, game: Game, traces: Traces, silence: int | None, n: int, generator: torch.Generator) -> "HumanSpeech":
        """Draw `n` messages from `traces`, all equally often, each time with another distractor."""
        spoken = traces.spoken(silence)
        order = spoken[torch.randperm(len(spoken), generator=generator)]
        chosen = order.repeat(-(-n // len(order)))[:n]
        states = game.redraw(traces.states[chosen], generator)
        phrases = traces.phrases.one(chosen, generator)
        said = traces.phrases.bags(chosen).bool()
        return cls(states, traces.words.bags(chosen), phrases, traces.games[chosen], said)

    @property
    def repeated(self) -> bool:
        """Whether several messages are of one game."""
        return len(self.games.unique()) < len(self.games)


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


@dataclass(frozen=True)
class Translation:
    """What the listeners hear under one criterion."""

    bags: Tensor  # (n, words) instead of the robot's messages
    messages: Tensor  # (n, message) instead of the humans' phrases


def look_up(
    dictionary: pd.DataFrame, criterion: str, robot: Speech, human: HumanSpeech, vocabulary: Speech, heard: Tensor
) -> Translation:
    """Translate by the dictionary, into messages of the `vocabulary` and phrases `heard` (phrases, words)."""
    position = {int(message): row for row, message in enumerate(vocabulary.ids)}
    to_phrase = best_translations(dictionary, "R->H", criterion)
    to_message = best_translations(dictionary, "H->R", criterion)
    phrases = torch.tensor([to_phrase[int(message)] for message in robot.ids])
    messages = torch.tensor([position[to_message[int(phrase)]] for phrase in human.phrases])
    return Translation(heard[phrases], vocabulary.messages[messages])


def draw_at_random(
    robot: Speech,
    human: HumanSpeech,
    vocabulary: Speech,
    heard: Tensor,
    silence: int | None,
    generator: torch.Generator,
) -> Translation:
    """Translate everything into anything, but not into `silence`."""
    sayable = torch.tensor([phrase for phrase in range(len(heard)) if phrase != silence])
    phrases = sayable[torch.randint(len(sayable), (len(robot.ids),), generator=generator)]
    messages = torch.randint(len(vocabulary.ids), (len(human.phrases),), generator=generator)
    return Translation(heard[phrases], vocabulary.messages[messages])


def evaluate_belief(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    translations: dict[str, Translation],
    resamples: int,
    generator: torch.Generator,
) -> pd.DataFrame:
    """Play every pair of speaker and listener under every translation.

    Columns of the result: speaker, listener, criterion, accuracy, ci_low, ci_high, n; and where there is a translation
    called direct, how much better the others are on the same items: gain, gain_error, p_value.
    """
    credits = {
        ("R", "R", "none"): listeners.robot_credit(robot.messages, robot.states, generator),
        ("H", "H*", "none"): listeners.human_credit(human.bags, human.states),
    }
    for name, translation in translations.items():
        credits["R", "H*", name] = listeners.human_credit(translation.bags, robot.states)
        credits["H", "R", name] = listeners.robot_credit(translation.messages, human.states, generator)
    bootstrap = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
    rows = []
    for (speaker, listener, criterion), values in credits.items():
        games = human.games.numpy() if speaker == "H" and human.repeated else None
        low, high = bootstrap_interval(values, bootstrap, resamples, games)
        row = {"speaker": speaker, "listener": listener, "criterion": criterion, "accuracy": values.mean()}
        row |= {"ci_low": low, "ci_high": high, "n": len(values)}
        row |= dict.fromkeys(("gain", "gain_error", "p_value"), np.nan)
        direct = credits.get((speaker, listener, "direct"))
        if direct is not None and criterion != "direct":
            row["gain"], row["gain_error"], row["p_value"] = paired_test(values, direct, games)
        rows.append(row)
    return pd.DataFrame(rows)
