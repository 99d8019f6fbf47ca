"""The value of relays to two robots that drive: thousands of fresh games, with the same starts for every condition.

    neuralese    no translation              shuffled    the message of another game at the same step
    silence      nobody hears anything       random      any phrase, then into neuralese

and each criterion with the pair of members chosen on dev (`relay_choice`). Conditions are compared game by game. What
survives translation is the share (relay - silence) / (neuralese - silence) of the value of communication. A robot has
never heard silence in training and drives worse with it than with messages unrelated to its game, so the share
relative to these is given as well: (relay - shuffled) / (neuralese - shuffled).

A relay also rewards a consistent private code: two ends that agree on what *left* stands for need not mean what people
mean by it. So the table also says how often the model human guesses the speaker's state from the same English.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import load_cell
from neuralese.config.models import RelayConfig
from neuralese.evaluate import outcomes
from neuralese.evaluate.relay import OVER, SHARES
from neuralese.stages.run import Run
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
from neuralese.translate.criteria import kind_of, make_criterion
from neuralese.translate.families import title, with_role

MEASURES = ("reward", "completion")
SILENCE, NEURALESE = "silence", "neuralese"
JUDGED = 5000  # maximum number of test messages whose English the model human hears


@dataclass(frozen=True)
class Condition:
    """One way for what is said to be heard."""

    name: str
    title: str
    carry: Carry
    role: str = ""
    phrases: Callable[[Tensor], Tensor] | None = None  # the English of messages (n, message), if there is any
    chosen: Mapping[str, Any] = field(default_factory=dict)  # which pair of members it is, with its results on dev


CHOSEN = ("there", "back", "voice", "runner_up")
NOTHING_CHOSEN = dict.fromkeys(CHOSEN, "") | {"dev_reward": np.nan, "runner_up_reward": np.nan}


def conditions(booth: Booth, choice: pd.DataFrame, criteria: Mapping[str, Mapping], new: Spoken) -> list[Condition]:
    """The controls, and a relay for each criterion with the pair chosen on dev."""
    found = [
        Condition(NEURALESE, "no translation", untouched, "native"),
        Condition(SILENCE, "no message (control)", silence, SILENCE),
        Condition("shuffled", "the message of another game (control)", of_another_game, "control"),
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
        found.append(Condition(SYNTHESIS, "synthesis (new messages)", relay, "extension", relay.interpret, chosen))
    return found


def _relay(booth: Booth, rows: pd.DataFrame, new: Spoken) -> tuple[Relay, dict[str, Any]]:
    """The relay chosen on dev, the first of the rows of a criterion, and the facts of its choice."""
    settings, voice = json.loads(rows["settings"].iloc[0]), rows["voice"].iloc[0]
    spoken = new if voice == NEW else booth.spoken(make_criterion(settings["H->R"]), voice)
    return Relay(booth.interpreter(make_criterion(settings["R->H"])), spoken, booth.noise), told(rows)


def told(rows: pd.DataFrame) -> dict[str, Any]:
    """What the table says about how a condition was chosen, from the rows of its criterion."""
    best = rows.iloc[0]
    chosen = {"there": best["to_english"], "back": best["to_neuralese"], "voice": best["voice"]}
    chosen["dev_reward"] = best["reward"]
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
    run: Run, choice: pd.DataFrame, criteria: Mapping[str, Mapping], config: RelayConfig
) -> list[tuple[Condition, Played, float]]:
    """Play fresh games under every condition, all from the same starts, and measure how well English is understood."""
    booth, robot = Booth(run, run.cell, config.contexts, config.vocabulary), Robot(run.cell)
    start, found = Start.of(run, "test", config.games), []
    every = conditions(booth, choice, criteria, new_messages(run, len(run.phrases)))
    every.append(interpreting(run, choice, config.places))
    for each in every:
        brought = converse(run.games["test"], start, (robot, robot), each.carry)
        found.append((each, brought, understood(run, each.phrases)))
    if path := run.files.get("silent_agent.safetensors"):
        robot = Robot(load_cell(path, run.states))
        brought = converse(run.games["test"], start, (robot, robot), silence)
        found.append((Condition("no-channel", "other agents, trained without a channel", silence), brought, np.nan))
    return found


def interpreting(run: Run, choice: pd.DataFrame, games: int) -> Condition:
    """The interpreter chosen on dev, which sees what the listener sees."""
    rows = choice[choice["criterion"] == INTERPRETER]
    scale = json.loads(rows["settings"].iloc[0])["scale"]
    carry = Interpreter(run, run.cell, places_in_play(run, run.cell, games), scale)
    return Condition(INTERPRETER, "interpreter (knows what the listener sees)", carry, "upper bound", None, told(rows))


def understood(run: Run, phrases: Callable[[Tensor], Tensor] | None) -> float:
    """How often the model human guesses the state of a test message from its English; nothing if there is none."""
    if phrases is None:
        return np.nan
    said = run.said["test"].first(JUDGED)
    return float(run.listeners("test").human_credit(run.heard[phrases(said.messages)], said.states).mean())


def relay_table(played: Iterable[tuple[Condition, Played, float]], resamples: int) -> pd.DataFrame:
    """The table of outcomes of every condition, with what was chosen on dev and how well English is understood."""
    found = [
        outcomes.Outcome(
            outcomes.Condition(each.name, each.title, each.role),
            {},
            {"reward": brought.reward, "completion": brought.completion},
            facts={"understood": known} | NOTHING_CHOSEN | dict(each.chosen),
        )
        for each, brought, known in played
    ]
    tables = [
        outcomes.outcome_table(found, np.random.default_rng(0), OVER, SHARES, resamples, [measure])
        for measure in MEASURES
    ]
    return pd.concat(tables, ignore_index=True)
