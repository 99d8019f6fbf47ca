"""The paper's belief evaluation: a listener hears a (translated) message and guesses which state the speaker was in.

    R -> R    a robot hears a robot's message                 H -> H*   the model human hears a human's words
    R -> H*   the model human hears its translation           H -> R    a robot hears the translation of a phrase

A guess between the true state and its distractor is worth 1 if right, 0 if wrong and 1/2 if the listener is
indifferent. The *random* criterion draws a new translation for every message.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.messages import Speech
from neuralese.agents.players import guess
from neuralese.evaluate.statistics import bootstrap_interval
from neuralese.games.reference import ReferenceGame, coins
from neuralese.speakers.models import HumanListener
from neuralese.speakers.traces import Traces


@dataclass(frozen=True)
class HumanSpeech:
    """What humans said on held-out states."""

    states: Tensor  # (n, 2)
    bags: Tensor  # (n, phrases) all that was said
    phrases: Tensor  # (n,) one phrase of it, to be translated

    @classmethod
    def draw(cls, traces: Traces, n: int, generator: torch.Generator) -> "HumanSpeech":
        """Draw `n` messages from `traces`, each at most once if there are enough."""
        order = torch.randperm(len(traces), generator=generator)
        chosen = order.repeat(-(-n // len(order)))[:n]
        return cls(traces.states[chosen], traces.bags(chosen), traces.one_phrase(chosen, generator))


@dataclass(frozen=True)
class Listeners:
    """The robot and the model human, ready to guess in one game."""

    game: ReferenceGame
    cell: Cell
    human: HumanListener

    def robot_credit(self, messages: Tensor, states: Tensor, generator: torch.Generator) -> np.ndarray:
        """Credit (n,) of the robot's guesses, the target being shown on a random side."""
        return _credit(guess(self.cell, self.game, messages, states, coins(len(states), generator)))

    @torch.no_grad()
    def human_credit(self, bags: Tensor, states: Tensor) -> np.ndarray:
        """Credit (n,) of the model human's guesses from bags (n, phrases)."""
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
    resamples: int,
    generator: torch.Generator,
) -> pd.DataFrame:
    """Play every pair of speaker and listener under every criterion of the dictionary.

    `vocabulary` is the neuralese into which phrases are translated. Columns of the result: speaker, listener,
    criterion, accuracy, ci_low, ci_high, n.
    """
    credits = {
        ("R", "R", "none"): listeners.robot_credit(robot.messages, robot.states, generator),
        ("H", "H*", "none"): listeners.human_credit(human.bags, human.states),
    }
    position = {int(message): row for row, message in enumerate(vocabulary.ids)}
    n_phrases = human.bags.shape[1]
    for criterion in dictionary["criterion"].unique():
        if criterion == "random":
            phrases = torch.randint(n_phrases, (len(robot.ids),), generator=generator)
            heard = torch.randint(len(position), (len(human.phrases),), generator=generator)
        else:
            to_phrase = best_translations(dictionary, "R->H", criterion)
            phrases = torch.tensor([to_phrase[int(message)] for message in robot.ids])
            to_message = best_translations(dictionary, "H->R", criterion)
            heard = torch.tensor([position[to_message[int(phrase)]] for phrase in human.phrases])
        bags = torch.nn.functional.one_hot(phrases, n_phrases).float()
        credits["R", "H*", criterion] = listeners.human_credit(bags, robot.states)
        credits["H", "R", criterion] = listeners.robot_credit(vocabulary.messages[heard], human.states, generator)
    bootstrap = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
    rows = []
    for (speaker, listener, criterion), values in credits.items():
        low, high = bootstrap_interval(values, bootstrap, resamples)
        rows.append((speaker, listener, criterion, values.mean(), low, high, len(values)))
    return pd.DataFrame(rows, columns=["speaker", "listener", "criterion", "accuracy", "ci_low", "ci_high", "n"])
