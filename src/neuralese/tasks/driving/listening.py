"""A robot drives with a model human who listens: each hears the other's words translated, at every step.

    R / H*    a robot in the first car, the model human (`driver.Human`) in the second, by way of translating
    H* / H*   two model humans who speak English; the ceiling of the second car, and the value of words to it
    R / R     two robots that speak neuralese; the ceiling of the first

Translators are those chosen on dev for relays (`relay_choice`). People are silent at most turns, and a robot never
learned to hear nothing. What it hears then is chosen on dev for each criterion, by reward: the *translation*
of silence, *nothing* (zeros), or the *last* translation again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.config.models import RelayConfig
from neuralese.evaluate.outcomes import Condition, Outcome, outcome_table
from neuralese.evaluate.relay import OVER
from neuralese.stages.run import Run
from neuralese.tasks.driving.loop import Carry, Driver, Played, Robot, Said, Start, converse, untouched
from neuralese.tasks.driving.model_human import Human, HumanDriver
from neuralese.tasks.driving.relay_choice import INTERPRETER
from neuralese.tasks.driving.relay_table import MEASURES
from neuralese.tasks.driving.relays import NEW, Booth, Interpret, Spoken, new_messages
from neuralese.translate.criteria import kind_of, make_criterion
from neuralese.translate.families import title, with_role

MIXED, HUMANS, ROBOTS = "R/H*", "H*/H*", "R/R"
SILENT = TRANSLATED, NOTHING, LAST = "translation", "nothing", "last"  # what a robot hears while a human is silent
SILENCE = "silence"


@dataclass
class Both:
    """Carries a robot's messages to a human in English, and a human's phrases to a robot in neuralese."""

    interpret: Interpret
    spoken: Spoken
    silence: int  # the phrase that stands for saying nothing
    noise: float
    while_silent: str = TRANSLATED
    last: Tensor | None = None  # (games, message) what each robot heard last, if that is repeated

    def __call__(self, said: Said) -> tuple[Tensor, Tensor]:
        """See `loop.Carry`: what the second player hears in place of the first, and the other way round."""
        messages, phrases = said.words
        answer = self.spoken.messages[phrases]
        noise = self.noise * said.chance.normal(answer.shape[1])
        if self.spoken.fresh:
            answer = answer + noise
        silent = (phrases == self.silence)[:, None]
        if self.while_silent == NOTHING:
            answer = answer.masked_fill(silent, 0.0)
        elif self.while_silent == LAST:
            if said.time == 0 or self.last is None:
                self.last = torch.zeros(said.chance.games, answer.shape[1])
            answer = torch.where(silent, self.last[said.games], answer)
            self.last[said.games] = answer
        return self.interpret(messages), answer


def nothing_heard(silence: int) -> Carry:
    """Nobody hears anything: a robot hears zeros, a human silence."""

    def carry(said: Said) -> tuple[Tensor, Tensor]:
        first, second = (
            torch.full(words.shape[:1], silence) if other.dtype == torch.long else torch.zeros_like(other)
            for words, other in (said.words, said.words[::-1])
        )
        return first, second

    return carry


@dataclass(frozen=True)
class Way:
    """Who drives, and how their words are heard."""

    pair: str
    name: str
    title: str
    role: str
    carry: Carry
    while_silent: str = ""
    dev_reward: float = np.nan


class Listening:
    """The players of one seed, and the games they play."""

    def __init__(self, run: Run, robot: Robot, driver: HumanDriver) -> None:
        self.run, heard = run, run.heard.clone()
        assert run.silence is not None  # drivers are silent at times
        heard[run.silence] = 0  # elsewhere it counts as a word
        human = Human(driver, run.english.speaker, heard, run.silence)
        self.seats: dict[str, tuple[Driver, Driver]] = {
            MIXED: (robot, human),
            HUMANS: (human, human),
            ROBOTS: (robot, robot),
        }

    def play(self, way: Way, split: str, games: int) -> Played:
        """Fresh games of a split, the same starts for all ways."""
        start = Start.of(self.run, f"listening {split}", games)
        return converse(self.run.games[split], start, self.seats[way.pair], way.carry)


def translators(
    booth: Booth, choice: pd.DataFrame, criteria: Mapping[str, Mapping], new: Spoken, silence: int
) -> list[Way]:
    """A way for each criterion, with the members chosen on dev for relays, and one with random words."""
    both, ways = {}, []
    for name, rows in choice[choice["criterion"] != INTERPRETER].groupby("criterion", sort=False):
        settings = json.loads(rows["settings"].iloc[0])
        voice = rows["voice"].iloc[0]
        spoken = new if voice == NEW else booth.spoken(make_criterion(settings["H->R"]), voice)
        interpret = booth.interpreter(make_criterion(settings["R->H"]))
        both[name] = Both(interpret, spoken, silence, booth.noise)
    for name, carry in both.items():
        role, called = ("extension", "synthesis (new messages)") if name not in criteria else ("", "")
        if name in criteria:
            role, called = criteria[name].get("role", ""), title(name, criteria[name])
        ways.append(Way(MIXED, name, called, role, carry))
    ours = both[with_role(criteria, "ours") or next(iter(both))]
    for name, settings in criteria.items():
        if not kind_of(settings).by_meaning:
            ways.append(Way(MIXED, name, title(name, settings), "control", _any_words(ours, booth.phrases.ids)))
    return ways


def _any_words(ours: Both, sayable: Tensor) -> Carry:
    """Each hears a phrase, or its translation, unrelated to what was said, as often as words were said."""

    def carry(said: Said) -> tuple[Tensor, Tensor]:
        first, second = (sayable[(said.chance.uniform() * len(sayable)).long()] for _ in range(2))
        silent = said.words[1] == ours.silence
        speaking = replace(ours, interpret=lambda messages: first, last=None, while_silent=TRANSLATED)
        return speaking(said._replace(words=(said.words[0], torch.where(silent, ours.silence, second))))

    return carry


def evaluate_listening(
    run: Run,
    robot: Robot,
    driver: HumanDriver,
    choice: pd.DataFrame,
    criteria: Mapping[str, Mapping],
    config: RelayConfig,
) -> list[tuple[Way, Played]]:
    """Choose on dev what a robot hears while its human is silent, then play test games in every way.

    `choice` holds what was chosen on dev for relays.
    """
    assert run.silence is not None  # drivers are silent at times
    players, booth = Listening(run, robot, driver), Booth(run, robot.cell, config.contexts, config.vocabulary)
    ways = translators(booth, choice, criteria, new_messages(run, len(run.phrases)), run.silence)
    return play_ways(players, ways, config, run.silence)


def play_ways(players: Listening, ways: list[Way], config: RelayConfig, silence: int) -> list[tuple[Way, Played]]:
    """The same with given ways."""
    chosen = []
    for way in ways:
        if isinstance(way.carry, Both):
            tried = [replace(way, carry=replace(way.carry, while_silent=each), while_silent=each) for each in SILENT]
            rewards = [players.play(each, "dev", config.dev_games).reward.mean() for each in tried]
            best = int(np.argmax(rewards))
            way = replace(tried[best], dev_reward=rewards[best])
        chosen.append(way)
    quiet = nothing_heard(silence)
    native = [
        Way(ROBOTS, "none", "two robots, neuralese", "native", untouched),
        Way(HUMANS, "none", "two model humans, English", "native", untouched),
        Way(HUMANS, SILENCE, "silence", SILENCE, quiet),
        Way(MIXED, SILENCE, "silence", SILENCE, quiet),
    ]
    return [(way, players.play(way, "test", config.games)) for way in (*native, *chosen)]


def listening_table(played: list[tuple[Way, Played]], resamples: int, random: np.random.Generator) -> pd.DataFrame:
    """The table of outcomes of every pair and way, with what was chosen on dev."""
    outcomes = [
        Outcome(
            Condition(way.name, way.title, way.role),
            {"pair": way.pair},
            {"reward": brought.reward, "completion": brought.completion},
            facts={"while_silent": way.while_silent, "dev_reward": way.dev_reward},
        )
        for way, brought in played
    ]
    tables = [outcome_table(outcomes, random, OVER, resamples=resamples, measures=[measure]) for measure in MEASURES]
    return pd.concat(tables, ignore_index=True)
