"""The two members of a family that translate in a relay, one into English and one back: chosen jointly, on dev.

A member that translates well into English may be wrong for the way back. All pairs
of a family are screened by the average of how often R* guesses the state of a dev message from its relay, and the model
human from the English on the way (or the relay would be a private code). Among those that differ, the best few with
each voice (see `relays`) are played on fresh dev games, and the one with the highest reward is chosen. Every family
has the same number of tries.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.config.models import RelayConfig
from neuralese.evaluate.listeners import Listeners, credit
from neuralese.games.driving import DrivingGame
from neuralese.speakers.models import RobotSpeaker
from neuralese.stages.run import Run
from neuralese.tasks.driving.interpreter import Interpreter, places_in_play
from neuralese.tasks.driving.loop import Robot, Start, converse
from neuralese.tasks.driving.relays import MEAN, NEW, RECORDED, Booth, Relay, Spoken, new_messages
from neuralese.translate.criteria import kind_of, make_criterion
from neuralese.translate.families import members, with_role

SYNTHESIS, INTERPRETER = "synthesis", "interpreter"
SCALES = (1.0, 2.0, 4.0)  # of an interpreter: width of p(z | x) as a multiple of the channel's noise


@dataclass(frozen=True)
class Tried:
    """A screened pair of members, and what it consists of."""

    criterion: str
    to_english: str
    to_neuralese: str
    voice: str
    accuracy: float  # of R* on the relays of dev messages
    understood: float  # accuracy of the model human, who hears the English
    settings: dict[str, dict]  # of both members, by direction
    spoken: Spoken

    def row(self, reward: float, completion: float) -> dict:
        """A row of `relay_choice.parquet`."""
        return {
            "criterion": self.criterion,
            "to_english": self.to_english,
            "to_neuralese": self.to_neuralese,
            "voice": self.voice,
            "accuracy": self.accuracy,
            "understood": self.understood,
            "settings": json.dumps(self.settings),
            "reward": reward,
            "completion": completion,
        }


def choose_relay(run: Run, families: Mapping[str, Mapping], config: RelayConfig) -> pd.DataFrame:
    """Screen all pairs of every family and play the best: the columns of `relay_choice.parquet`."""
    booth, said = Booth(run, run.cell, config.contexts, config.vocabulary), run.said["dev"].first(config.screened)
    guesser = Guesser(run.robot, run.listeners("dev"), run.heard, said)
    tried = screen(booth, families, guesser, said.messages, config.played)
    if ours := with_role(families, "ours"):
        new = new_messages(run, len(run.phrases))
        tried += screen_new(booth, families[ours], new, guesser, said.messages, config.played)
    start = Start.of(run, "dev", config.dev_games)
    table = play_all(run.games["dev"], Robot(run.cell), booth, tried, start)
    return pd.concat([table, play_interpreters(run, config.places, start)], ignore_index=True)


class Guesser:
    """How often R* guesses the state of messages from what they became, and the model human from the English."""

    def __init__(self, speaker: RobotSpeaker, listeners: Listeners, heard: Tensor, said: Speech) -> None:
        self.listeners, self.heard, self.said, states = listeners, heard, said, listeners.states
        candidates = states.candidates(said.states)
        with torch.no_grad():
            views = states.speaker_view(candidates.flatten(0, 1))
            self.means = speaker.mean(views).unflatten(0, candidates.shape[:2])  # (n, s, message)

    def right(self, spoken: Tensor, phrases: Tensor) -> float:
        """Accuracy if the messages became `spoken[phrases]`."""
        heard = spoken[phrases][:, None]
        return float(credit(-(heard - self.means).square().sum(2)).mean())

    def understood(self, phrases: Tensor) -> float:
        """Accuracy of the model human on hearing `phrases` (n,)."""
        return float(self.listeners.human_credit(self.heard[phrases], self.said.states).mean())


def screen(booth: Booth, families: Mapping[str, Mapping], guesser: Guesser, dev: Tensor, played: int) -> list[Tried]:
    """The best pairs of each family, `played` of each, half of them with each voice."""
    every = {name: members(each) for name, each in families.items() if kind_of(each).by_meaning}
    criteria = {label: make_criterion(each) for family in every.values() for label, each in family.items()}
    phrases = booth.phrases_by_all(criteria, dev)
    found = []
    for voice in (RECORDED, MEAN):
        spoken = booth.spoken_by_all(criteria, voice)
        for name, family in every.items():
            pairs = {(one, other): spoken[other] for one in family for other in family}
            found += _best(name, voice, pairs, family, phrases, guesser)[: max(1, played // 2)]
    return found


def screen_new(booth: Booth, family: Mapping, new: Spoken, guesser: Guesser, dev: Tensor, played: int) -> list[Tried]:
    """The members of a family that translate best into English when new messages are the way back."""
    known = members(family)
    criteria = {label: make_criterion(each) for label, each in known.items()}
    phrases = booth.phrases_by_all(criteria, dev)
    pairs = {(label, NEW): new for label in known}
    return _best(SYNTHESIS, NEW, pairs, known, phrases, guesser)[:played]


def _best(
    name: str,
    voice: str,
    pairs: Mapping[tuple[str, str], Spoken],
    family: Mapping[str, dict],
    phrases: Mapping[str, Tensor],
    guesser: Guesser,
) -> list[Tried]:
    """The pairs by how well both guess, best first; of those that relay all messages identically, only the first."""
    found, seen = [], set()
    human = {label: guesser.understood(each) for label, each in phrases.items() if label in family}
    for (one, other), spoken in pairs.items():
        used = phrases[one].unique()
        same = (phrases[one].numpy().tobytes(), spoken.messages[used].numpy().tobytes())
        if same not in seen:
            seen.add(same)
            settings = {"R->H": family[one], "H->R": family.get(other, {})}
            accuracy = guesser.right(spoken.messages, phrases[one])
            found.append(Tried(name, one, other, voice, accuracy, human[one], settings, spoken))
    return sorted(found, key=lambda each: -each.accuracy - each.understood)


def play_all(game: DrivingGame, robot: Robot, booth: Booth, tried: list[Tried], start: Start) -> pd.DataFrame:
    """Play fresh games with each pair, all from the same starts: the columns of `relay_choice.parquet`.

    The first row of each criterion is the pair chosen on dev, the second its runner-up.
    """
    rows = []
    for each in tried:
        relay = Relay(booth.interpreter(make_criterion(each.settings["R->H"])), each.spoken, booth.noise)
        brought = converse(game, start, (robot, robot), relay)
        rows.append(each.row(brought.reward.mean(), brought.completion.mean()))
    return ranked(pd.DataFrame(rows), start)


def play_interpreters(run: Run, games: int, start: Start) -> pd.DataFrame:
    """The same for interpreters (see `interpreter`) with narrower or wider p(z | x)."""
    places, rows = places_in_play(run, run.cell, games), []
    for scale in SCALES:
        interpreter = Interpreter(run, run.cell, places, scale)
        brought = converse(run.games["dev"], start, (Robot(run.cell),) * 2, interpreter)
        rows.append(
            {
                **{"criterion": INTERPRETER, "to_english": f"interpreter x{scale:g}", "to_neuralese": INTERPRETER},
                **{"voice": MEAN, "settings": json.dumps({"scale": scale})},
                **{"reward": brought.reward.mean(), "completion": brought.completion.mean()},
                **dict.fromkeys(("accuracy", "understood"), np.nan),
            }
        )
    return ranked(pd.DataFrame(rows), start)


def ranked(table: pd.DataFrame, start: Start) -> pd.DataFrame:
    """The results by criterion, highest reward first."""
    first = {name: place for place, name in enumerate(table["criterion"].unique())}
    table = table.assign(place=table["criterion"].map(first))
    table = table.sort_values(["place", "reward"], ascending=[True, False], kind="stable")
    rank = table.groupby("criterion").cumcount() + 1
    return table.drop(columns="place").assign(rank=rank, games=len(start.world.map)).reset_index(drop=True)
