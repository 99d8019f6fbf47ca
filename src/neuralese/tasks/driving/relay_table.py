"""What relays are worth to two robots that drive: thousands of fresh games, the same starts for every condition.

    neuralese    no translation              shuffled    the message of another game at the same step
    silence      nobody hears anything       random      any phrase, then into neuralese

and each criterion with the pair of members that dev chose (`relay_choice`). Conditions are compared game by game. What
survives translation is the share (relay - silence) / (neuralese - silence) of what communication is worth. A robot has
never heard silence in training and drives worse with it than with messages that say nothing of its game, so beside it
is the share over these: (relay - shuffled) / (neuralese - shuffled).

A relay also rewards a consistent private code: two ends that agree on what *left* stands for need not mean what people
mean by it. So beside the reward is how often the model human guesses the speaker's state from the same English.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.evaluate.belief import BASELINE
from neuralese.evaluate.statistics import paired_test
from neuralese.tasks.driving.interpreter import Interpreter, places_in_play
from neuralese.tasks.driving.loop import Carry, Played, Robot, Start, converse, untouched
from neuralese.tasks.driving.relay_choice import INTERPRETER, SYNTHESIS
from neuralese.tasks.driving.relays import (
    NEW,
    Booth,
    Relay,
    Spoken,
    any_phrase,
    new_messages,
    of_another_game,
    silence,
)
from neuralese.tasks.driving.settings import RelayConfig
from neuralese.tasks.judge import JudgeRun
from neuralese.translate.criteria import kind_of, make_criterion
from neuralese.translate.families import title, with_role

MEASURES = ("reward", "completion")
SILENCE, NEURALESE, SHUFFLED = "silence", "neuralese", "shuffled"
JUDGED = 5000  # test messages of which the model human hears the English, at most
AT_ONCE = 250  # resamples of the bootstrap held at a time


@dataclass(frozen=True)
class Condition:
    """One way for what is said to be heard."""

    name: str
    title: str
    carry: Carry
    role: str = ""
    phrases: Callable[[Tensor], Tensor] | None = None  # the English of messages (n, message), where there is any
    chosen: Mapping[str, object] = field(default_factory=dict)  # which pair of members it is, and what dev said of it


CHOSEN = ("to_english", "to_neuralese", "voice", "runner_up")
NOTHING_CHOSEN = dict.fromkeys(CHOSEN, "") | {"dev_reward": np.nan, "runner_up_reward": np.nan}


def conditions(booth: Booth, choice: pd.DataFrame, criteria: Mapping[str, Mapping], new: Spoken) -> list[Condition]:
    """The controls, and a relay for each criterion by what dev chose for it."""
    found = [
        Condition(NEURALESE, "neuralese itself", untouched),
        Condition(SILENCE, "silence", silence, SILENCE),
        Condition(SHUFFLED, "messages of another game (control)", of_another_game, "control"),
    ]
    relays = {
        name: _relay(booth, rows, new)
        for name, rows in choice[choice["criterion"] != INTERPRETER].groupby("criterion", sort=False)
    }
    for name, settings in criteria.items():
        called = title(name, settings)
        if kind_of(settings).by_meaning:
            relay, chosen = relays[name]
            role = settings.get("role", "")
            found.append(Condition(name, called, relay, role, relay.interpret, chosen))
        else:
            ours = with_role(criteria, "ours") or next(iter(relays))
            found.append(_at_random(name, called, booth, relays[ours][0].spoken))
    if SYNTHESIS in relays:
        relay, chosen = relays[SYNTHESIS]
        found.append(Condition(SYNTHESIS, "synthesis (new messages)", relay, "beyond", relay.interpret, chosen))
    return found


def _relay(booth: Booth, rows: pd.DataFrame, new: Spoken) -> tuple[Relay, dict[str, object]]:
    """The relay that dev chose, the first of the rows of a criterion, and what is told of it."""
    settings, voice = json.loads(rows["settings"].iloc[0]), rows["voice"].iloc[0]
    spoken = new if voice == NEW else booth.spoken(make_criterion(settings["H->R"]), voice)
    return Relay(booth.interpreter(make_criterion(settings["R->H"])), spoken, booth.noise), told(rows)


def told(rows: pd.DataFrame) -> dict[str, object]:
    """What the table says of how a condition was chosen, from the rows of its criterion."""
    best = rows.iloc[0]
    chosen = {name: best[name] for name in ("to_english", "to_neuralese", "voice")} | {"dev_reward": best["reward"]}
    if len(rows) < 2:
        return chosen
    second = rows.iloc[1]
    runner_up = f"{second['to_english']} / {second['to_neuralese']} ({second['voice']})"
    return chosen | {"runner_up": runner_up, "runner_up_reward": second["reward"]}


def _at_random(name: str, called: str, booth: Booth, spoken: Spoken) -> Condition:
    sayable, random = booth.phrases.ids, torch.Generator().manual_seed(0)

    def phrases(messages: Tensor) -> Tensor:
        return sayable[torch.randint(len(sayable), (len(messages),), generator=random)]

    return Condition(name, called, any_phrase(spoken, sayable.tolist(), booth.noise), "control", phrases)


def play_relays(
    run: JudgeRun, choice: pd.DataFrame, criteria: Mapping[str, Mapping], config: RelayConfig
) -> list[tuple[Condition, Played, float]]:
    """Play fresh games under every condition, all from the same starts, and see how well its English is understood."""
    booth, robot = Booth(run, run.cell, config.contexts, config.vocabulary), Robot(run.cell)
    start, found = Start.of(run, "test", config.games), []
    every = conditions(booth, choice, criteria, new_messages(run, len(run.phrases)))
    every.append(interpreting(run, choice, config.places))
    for each in every:
        brought = converse(run.games["test"], start, (robot, robot), each.carry)
        found.append((each, brought, understood(run, each.phrases)))
    return found


def interpreting(run: JudgeRun, choice: pd.DataFrame, games: int) -> Condition:
    """The interpreter that dev chose; it is told what the listener sees."""
    rows = choice[choice["criterion"] == INTERPRETER]
    scale = json.loads(rows["settings"].iloc[0])["scale"]
    carry = Interpreter(run, run.cell, places_in_play(run, run.cell, games), scale)
    return Condition(
        INTERPRETER, "interpreter (knows what the listener sees)", carry, "knows-context", None, told(rows)
    )


def understood(run: JudgeRun, phrases: Callable[[Tensor], Tensor] | None) -> float:
    """How often the model human guesses the state of a test message from its English; nothing where there is none."""
    if phrases is None:
        return np.nan
    said = run.said["test"].first(JUDGED)
    return float(run.listeners("test").human_credit(run.heard[phrases(said.messages)], said.states).mean())


def relay_table(
    played: Iterable[tuple[Condition, Played, float]], resamples: int, generator: np.random.Generator
) -> pd.DataFrame:
    """One row for each condition and measure, from its games and how well the model human understands its English.

    Columns: those of the contract `relay`, and how much better than controls and the baseline game by game, with the
    standard error; the share of what communication is worth that survives; what was chosen on dev.
    """
    played = list(played)
    named = {condition.name: brought for condition, brought, _ in played}
    references = {name: named[name] for name in (SILENCE, SHUFFLED)}
    references[BASELINE] = next((brought for condition, brought, _ in played if condition.role == BASELINE), None)
    rows = []
    for measure in MEASURES:
        values = {name: getattr(brought, measure) for name, brought in named.items()}
        drawn = resampled(np.stack(list(values.values()), axis=1), resamples, generator)
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        means = np.array([each.mean() for each in values.values()])
        places = {name: number for number, name in enumerate(values)}
        for number, (condition, brought, understood) in enumerate(played):
            own = values[condition.name]
            row = {"criterion": condition.name, "title": condition.title, "role": condition.role, "measure": measure}
            row |= {"value": own.mean(), "ci_low": low[number], "ci_high": high[number], "n": len(own)}
            for reference, other in references.items():
                gain = (np.nan,) * 3
                if other is not None and other is not brought:
                    gain = paired_test(own, getattr(other, measure))
                row |= dict(zip((f"gain_{reference}{of}" for of in ("", "_error", "_p")), gain, strict=True))
            for name, reference in (("share", SILENCE), ("share_shuffled", SHUFFLED)):
                whole = [number, places[reference], places[NEURALESE]]
                row |= share(name, *(each[..., whole] for each in (means, drawn)))
            rows.append(row | {"understood": understood} | NOTHING_CHOSEN | dict(condition.chosen))
    return pd.DataFrame(rows)


def share(name: str, means: np.ndarray, drawn: np.ndarray) -> dict[str, float]:
    """(relay - silence) / (neuralese - silence) with its interval; nothing where communication is worth nothing.

    Means of relay, of silence or what stands for it, and of neuralese, (3,), and those of resamples, (resamples, 3).
    """
    worth = drawn[:, 2] - drawn[:, 1]
    if means[2] == means[1] or (worth == 0).any():
        return dict.fromkeys((name, f"{name}_ci_low", f"{name}_ci_high"), np.nan)
    low, high = np.quantile((drawn[:, 0] - drawn[:, 1]) / worth, [0.025, 0.975])
    return {name: (means[0] - means[1]) / (means[2] - means[1]), f"{name}_ci_low": low, f"{name}_ci_high": high}


def resampled(values: np.ndarray, resamples: int, generator: np.random.Generator) -> np.ndarray:
    """Means (resamples, k) of values (n, k) over games drawn with replacement, the same games for all k."""
    games, means = len(values), []
    for first in range(0, resamples, AT_ONCE):
        size = min(AT_ONCE, resamples - first)
        means.append(generator.multinomial(games, np.full(games, 1 / games), size=size) @ values / games)
    return np.concatenate(means)
