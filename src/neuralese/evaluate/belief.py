"""The paper's belief evaluation: a listener hears a (translated) message and guesses which state the speaker was in.

    R -> R    a robot hears a robot's message                 H -> H*   the model human hears a human's words
    R -> H*   the model human hears its translation           H -> R    a robot hears the translation of words

A guess between the true state and its distractor is worth 1 if right, 0 if wrong and 1/2 if the listener is
indifferent. Who guesses, and when R is R*, is in `listeners`. Human utterances are translated whole (`unit` is
"utterance") and also by one of their phrases ("phrase"). Only what was said aloud counts: silence can be
translated into a message, as the behaviour evaluation needs, but is not evaluated here.

Every message that a robot hears has passed through the channel once: those of the vocabulary when recorded, new ones
when they are sent.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.evaluate.listeners import Listeners
from neuralese.evaluate.statistics import bootstrap_interval, paired_test
from neuralese.games.states import States
from neuralese.speakers.traces import Traces
from neuralese.translate.languages import Parts, utterance_ids

BASELINE, CONTROL = "baseline", "control"  # roles the others are compared with


@dataclass(frozen=True)
class HumanSpeech:
    """What humans said on held-out states."""

    states: Tensor  # (n, s, ...)
    bags: Tensor  # (n, words) everything that was said
    units: dict[str, Tensor]  # units of translation, each (n,) utterance ids: the whole "utterance", or one "phrase"
    games: Tensor  # (n,) which messages belong together
    traces: Tensor  # (n,) which message it is

    @classmethod
    def draw(
        cls, game: States, traces: Traces, silence: int | None, parts: Parts, n: int, generator: torch.Generator
    ) -> "HumanSpeech":
        """Draw `n` messages from `traces`, all equally often, with a new distractor each time."""
        spoken = traces.not_silent(silence)
        order = spoken[torch.randperm(len(spoken), generator=generator)]
        chosen = order.repeat(-(-n // len(order)))[:n]
        states = game.redraw(traces.states[chosen], generator)
        units = {"phrase": traces.phrases.one(chosen, generator)}
        units = {"utterance": utterance_ids(traces.phrases.bags(chosen), parts)} | units
        return cls(states, traces.words.bags(chosen), units, traces.games[chosen], chosen)

    @property
    def repeated(self) -> bool:
        """Whether any game has several messages."""
        return len(self.games.unique()) < len(self.games)


@dataclass(frozen=True)
class Way:
    """One way to translate: what the listeners hear under it, and its names."""

    name: str
    title: str
    role: str = ""
    kind: str = ""
    bags: Tensor | None = None  # (n, words) instead of the robot's messages
    messages: dict[str, Tensor] = field(default_factory=dict)  # by unit, (n, message) instead of the humans' words


NATIVE = Way("none", "same language")
SHUFFLED = Way("shuffled", "words of another message (control)", CONTROL)
# what a robot hears instead of the actual message; none of these can help, unless the evaluation leaks
OTHER = Way("shuffled", "the message of another state (control)", CONTROL)
CONSTANT = Way("constant", "always the same message (control)", CONTROL)
SILENT = Way("silence", "no message (control)", CONTROL)


def evaluate_belief(
    listeners: Listeners,
    robot: Speech,
    human: HumanSpeech,
    ways: Iterable[Way],
    resamples: int,
    generator: torch.Generator,
) -> pd.DataFrame:
    """Play every pair of speaker and listener under every way of translating.

    Columns of the result: speaker, listener, unit, criterion, title, role, kind, accuracy, ci_low, ci_high, n, distinct
    (messages), games, candidates, chance; and the gain of a way on the same items over the baseline (gain,
    gain_error, p_value, over items) and over the control (gain_control, gain_control_error).
    """
    other = torch.arange(len(human.bags)).roll(1)
    cells = [
        ("R", listeners.name, "message", NATIVE, listeners.robot_credit(robot.messages, robot.states, generator)),
        ("H", "H*", "utterance", NATIVE, listeners.human_credit(human.bags, human.states)),
        ("H", "H*", "utterance", SHUFFLED, listeners.human_credit(human.bags[other], human.states)),
    ]
    if robot.picked is not None and (robot.picked >= 0).any():
        known = robot.picked[robot.picked >= 0].double().numpy()
        cells.append(("R", "R", "message", NATIVE, known))  # the real listener's choice
    for way in ways:
        if way.bags is not None:
            cells.append(("R", "H*", "message", way, listeners.human_credit(way.bags, robot.states)))
        for unit, messages in way.messages.items():
            credit = listeners.translated_credit(messages, human.states, generator)
            cells.append(("H", listeners.name, unit, way, credit))
    references = {
        (speaker, listener, unit, way.role): credit
        for speaker, listener, unit, way, credit in cells
        if way.role in (BASELINE, CONTROL) and way is not SHUFFLED
    }
    cells += [("R", listeners.name, "message", *control) for control in controls(listeners, robot)]
    bootstrap = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
    rows = []
    for speaker, listener, unit, way, credit in cells:
        games = human.games.numpy() if speaker == "H" and human.repeated else None
        low, high = bootstrap_interval(credit, bootstrap, resamples, games)
        row: dict[str, Any] = {
            "speaker": speaker,
            "listener": listener,
            "unit": unit,
            "criterion": way.name,
            "title": way.title,
        }
        row |= {"role": way.role, "kind": way.kind, "accuracy": credit.mean(), "ci_low": low, "ci_high": high}
        row |= _counts(len(credit), human, speaker) | {"candidates": robot.states.shape[1]}
        row |= _gains(credit, references, (speaker, listener, unit), way.role, games)
        rows.append(row)
    return pd.DataFrame(rows).assign(chance=lambda table: 1 / table["candidates"])


def controls(listeners: Listeners, robot: Speech) -> list[tuple[Way, np.ndarray]]:
    """Credit of a robot that hears something other than what was said: chance, unless the evaluation leaks."""
    random = torch.Generator().manual_seed(0)  # its own, so that the other results do not depend on the controls
    count = len(robot.ids)
    others = robot.messages[torch.randperm(count, generator=random)]
    same = robot.messages[torch.zeros(count, dtype=torch.long)]
    return [
        (OTHER, listeners.robot_credit(others, robot.states, random)),
        (CONSTANT, listeners.robot_credit(same, robot.states, random)),
        (SILENT, listeners.silent_credit(robot.messages, robot.states, random)),
    ]


def _counts(items: int, human: HumanSpeech, speaker: str) -> dict[str, int]:
    """The number of items, and of different messages and games among them."""
    if speaker == "R":
        return dict.fromkeys(("n", "distinct", "games"), items)  # one message is drawn from each game
    return {"n": len(human.traces), "distinct": len(human.traces.unique()), "games": len(human.games.unique())}


def _gains(credit: np.ndarray, references: dict, cell: tuple, role: str, games: np.ndarray | None) -> dict[str, float]:
    gains = dict.fromkeys(("gain", "gain_error", "p_value", "gain_control", "gain_control_error"), np.nan)
    if role != BASELINE and (baseline := references.get((*cell, BASELINE))) is not None:
        gains["gain"], gains["gain_error"], gains["p_value"] = paired_test(credit, baseline, games)
    if role != CONTROL and (control := references.get((*cell, CONTROL))) is not None:
        gains["gain_control"], gains["gain_control_error"], _ = paired_test(credit, control, games)
    return gains
