"""A robot drives with a human: one who is replayed (Table 3 of the paper), or a model human who listens.

    R / R     two robots in fresh games           R / H     a robot with a replayed human
    H / H     the humans themselves               R / H*    a robot with the model human of `model_human`
    H / H all those of every game                 H* / H*   two model humans who speak English

**Replayed humans** do and say what they did in a test game, whatever the robot does; both seats of every game are
replayed in turn. Utterances are translated whole; a message without any phrase of the inventory, as silence. Besides
the criteria of the dictionary there are *silence*, in which the robot hears nothing, *neuralese*, in which it hears
what a second robot says in the human's place, and *repeated*, in which it hears the last translation of our criterion
again while its human is silent. In a trace whose human never arrived (most of them crashed) no robot can complete the
game: `possible` is the share of traces in which one can.

**Model humans** hear the robot's words in English and act on them. Translators are those chosen on dev for relays
(`relay`). People are silent at most turns, and a robot never learned to hear nothing. What it hears then is chosen on
dev for each criterion, by reward: the *translation* of silence, *nothing* (zeros), or the *last* translation again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.config.models import RelayConfig
from neuralese.evaluate.outcomes import Condition, Outcome, conditions_of, outcome_table
from neuralese.evaluate.relay import OVER
from neuralese.games.driving import DrivingGame
from neuralese.stages.run import Run
from neuralese.storage.tables import read_about
from neuralese.tasks.driving.channels import (
    LAST,
    NOTHING,
    TRANSLATED,
    HumanChannel,
    Translators,
    silence,
)
from neuralese.tasks.driving.human import Humans, load_humans
from neuralese.tasks.driving.loop import Chance, Pair, Robot, Said, Start, robots, unchanged
from neuralese.tasks.driving.model_human import HumanDriver, ModelHuman
from neuralese.tasks.driving.relay import MEASURES, Families, chosen_translators, translated
from neuralese.tasks.driving.tables import GAMES, RELAY_CHOICE
from neuralese.translate.criteria import kind_of
from neuralese.translate.families import with_role

RANDOM_REPEATS = 10  # number of times every game is played with random translations
SILENCE: Condition = Condition("silence", "silence", "silence")
SPOKEN = Condition("neuralese", "a robot's own words", "native", unchanged)  # a robot speaks in the human's place
REPEATED = "repeated"


def evaluate_behavior(run: Run, split: str, fresh: int, resamples: int) -> pd.DataFrame:
    """How robots drive with replayed humans of one split, whose messages are translated."""
    silent, pair = run.phrases.index(""), robots(run, f"behavior {split}", fresh)
    same = Condition("none", "same language", "native", unchanged)
    outcomes = [replace(each, facts={"possible": 1.0}) for each in pair.play([same])]
    humans = load_humans(run.files, split, run.parts, silent)
    criteria = read_about(run.files["dictionary.parquet"])["criteria"]["H->R"]
    conditions = [replace(SILENCE, heard=silence(silent)), SPOKEN]
    conditions += conditions_of(criteria, partial(dictionary_channel, run))
    if ours := with_role(criteria, "ours"):
        heard = dictionary_channel(run, ours, criteria[ours])
        conditions.append(Condition(REPEATED, f"{ours}, repeated while the human is silent", "", heard))
    outcomes += replayed_outcomes(Robot(run.cell), run.states, humans, conditions, pair.start.seed)
    games = run.table("games.parquet", GAMES)
    for name, part in {"H/H": games[games["split"] == split], "H/H all": games}.items():
        values = {"reward": part["reward"].to_numpy(), "completion": part["completed"].to_numpy(dtype=float)}
        outcomes.append(Outcome(same, {"pair": name}, values, facts={"possible": 1.0}))
    return run.label(outcome_table(outcomes, np.random.default_rng(run.seed), OVER, resamples=resamples))


@dataclass(frozen=True)
class DictionaryChannel:
    """From a replayed human, who listens to nobody, to a robot: utterances become messages."""

    messages: Tensor  # (utterances, message)
    at_random: bool = False  # whether any of the messages is heard, whatever was said

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        first, utterances = said.words
        return first, said.chance.choose(self.messages) if self.at_random else self.messages[utterances]


def dictionary_channel(run: Run, criterion: str, settings: Mapping[str, Any]) -> DictionaryChannel:
    """The first translation of each utterance by a criterion of the dictionary, or any message."""
    said = run.said["train"]
    if not kind_of(settings).by_meaning:
        return DictionaryChannel(said.messages, at_random=True)
    best = run.table("dictionary.parquet").query("direction == 'H->R' and criterion == @criterion and rank == 1")
    rows = pd.Index(said.ids.numpy()).get_indexer(best.sort_values("source_id")["target_id"])
    return DictionaryChannel(said.messages[rows])


class Replayed:
    """Humans of logged games as drivers: they do and say what the log has, whatever they hear.

    With a `speaker`, that robot speaks in their place, and listens too.
    """

    def __init__(self, humans: Humans, speaker: Robot | None = None) -> None:
        self.humans, self.speaker = humans, speaker

    def begin(self, games: int) -> tuple[Tensor, Tensor]:
        """See `Driver`; the first columns of memory are the human's number and the step."""
        memory, heard = self.speaker.begin(games) if self.speaker else (torch.zeros(games, 0), torch.zeros(games, 1))
        return torch.cat([torch.arange(games)[:, None], torch.zeros(games, 1), memory], dim=1), heard

    def step(self, seen: Tensor, heard: Tensor, memory: Tensor, chance: Chance) -> tuple[Tensor, Tensor, Tensor]:
        human, time = memory[:, :2].long().unbind(1)
        time = time.clamp(max=self.humans.action.shape[1] - 1)
        said, known = self.humans.utterance[human, time], memory[:, 2:]
        if self.speaker:
            _, said, known = self.speaker.step(seen, heard, known, chance)
        return self.humans.action[human, time], said, torch.cat([memory[:, :1], memory[:, 1:2] + 1, known], dim=1)


def replayed_pair(robot: Robot, humans: Humans, game: DrivingGame, seed: int, speaker: Robot | None = None) -> Pair:
    """A robot in the first car and replayed humans in the second, in whose place a robot may speak."""
    return Pair("R/H", (robot, Replayed(humans, speaker)), game, Start(humans.world, seed))


def replayed_outcomes(
    robot: Robot, game: DrivingGame, humans: Humans, conditions: list[Condition], seed: int
) -> list[Outcome]:
    """A robot with each of `humans` under every condition; games with random messages are repeated and averaged."""
    found, possible = [], {"possible": float(humans.arrives.double().mean())}
    longer = DrivingGame(game.layouts, humans.action.shape[1] + game.max_steps)
    for each in conditions:
        people = humans.repeating() if each.name == REPEATED else humans
        times = RANDOM_REPEATS if isinstance(each.heard, DictionaryChannel) and each.heard.at_random else 1
        people = people[torch.arange(len(humans.games)).repeat(times)]
        speaker = robot if each.name == SPOKEN.name else None
        (played,) = replayed_pair(robot, people, longer, seed, speaker).play([each])
        values = {measure: value.reshape(times, -1).mean(0) for measure, value in played.values.items()}
        found.append(replace(played, values=values, groups=humans.games.numpy(), facts=possible))
    return found


def listen_driving(
    run: Run, driver: HumanDriver, criteria: Families, relay: Mapping[str, Any], resamples: int
) -> pd.DataFrame:
    """How a robot drives with a model human who listens, in fresh games."""
    config, silent, heard = RelayConfig(**relay), run.phrases.index(""), run.heard.clone()
    heard[silent] = 0  # elsewhere it counts as a word
    robot, human = Robot(run.cell), ModelHuman(driver, run.english.speaker, heard, silent)
    translators = Translators(run, config)
    chosen = chosen_translators(translators, run.table("relay_choice.parquet", RELAY_CHOICE))
    channel = partial(HumanChannel, silence=silent)
    conditions = translated(criteria, chosen, channel, translators.phrases.ids)
    conditions.sort(key=lambda each: each.role == "control")  # it comes last
    test = Start.of(run, "listening test", config.games)
    mixed = Pair("R/H*", (robot, human), run.states, Start.of(run, "listening dev", config.dev_games))
    conditions = choose_silence(mixed, conditions)
    quiet = replace(SILENCE, heard=silence(silent))
    outcomes = []
    for name, seats, heard_in in (
        ("R/R", (robot, robot), [Condition("none", "two robots, neuralese", "native", unchanged)]),
        ("H*/H*", (human, human), [Condition("none", "two model humans, English", "native", unchanged), quiet]),
        ("R/H*", (robot, human), [quiet, *conditions]),
    ):
        outcomes += Pair(name, seats, run.states, test).play(heard_in)
    random = np.random.default_rng(run.seed)
    tables = [outcome_table(outcomes, random, OVER, resamples=resamples, measures=[each]) for each in MEASURES]
    return run.label(pd.concat(tables, ignore_index=True).fillna({"while_silent": ""}))


def choose_silence(pair: Pair, conditions: list[Condition]) -> list[Condition]:
    """Choose by reward what the robot hears while its human is silent, under every condition but random ones."""
    found = []
    for each in conditions:
        facts: dict[str, Any] = {}
        if isinstance(each.heard, HumanChannel) and each.heard.at_random is None:
            tried = {mode: replace(each.heard, while_silent=mode) for mode in (TRANSLATED, NOTHING, LAST)}
            rewards = {mode: pair.results(channel)["reward"].mean() for mode, channel in tried.items()}
            best = max(rewards, key=rewards.__getitem__)
            each, facts = replace(each, heard=tried[best]), {"while_silent": best, "dev_reward": rewards[best]}
        found.append(replace(each, facts=facts))
    return found
