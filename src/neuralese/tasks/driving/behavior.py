"""The paper's behaviour evaluation of the driving game (Table 3): a robot drives with a replayed human.

A human player's actions and messages are taken from a test game exactly as they were, whatever the robot does; each
message is translated into neuralese, and the robot drives the other car. Both seats of every game are played in turn.
Once the trace ends the human waits, or is gone if it had arrived, and says nothing.

    R / R   two robots in fresh games          R / H   a robot with a replayed human, by way of translating
    H / H   the humans themselves              H / H all   those of every game, training games included

Human utterances are translated whole; a message without any phrase of the inventory, as silence. Besides the
criteria of the dictionary there are two ways without one: *silence*, in which the robot hears nothing, and *neuralese*,
in which it hears what a second robot says in the human's place. Humans are silent at most turns; in one more way,
*repeated*, the robot then hears the last translation of our criterion again. Ways are compared game by game: with
silence, with the control and with the baseline.

In a trace whose human never arrived (most of them crashed) no robot can complete the game: `possible` is the share of
traces in which one can.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Intervene, rounds
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import best_translations
from neuralese.evaluate.outcomes import Condition, Outcome, outcome_table
from neuralese.evaluate.relay import OVER
from neuralese.games.driving import DrivingGame, DrivingWorld
from neuralese.tasks.driving.human import Humans
from neuralese.translate.criteria import kind_of
from neuralese.translate.families import title, with_role

RANDOM_REPEATS = 10  # number of times every game is played with random translations
Say = Callable[[Tensor], Tensor]  # utterances (n,) -> messages (n, message)
MEASURES = ("reward", "completion")


def drive(
    cell: Cell, game: DrivingGame, humans: Humans, say: Say | None, generator: torch.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Let robots drive with `humans`, whose utterances become messages by `say`: reward and completion (n,).

    Without `say` a robot in the human's place speaks.
    """
    longer = DrivingGame(game.layouts, humans.action.shape[1] + game.max_steps)
    return _play(cell, longer, humans.world, generator, replaying(humans, say))


def replaying(humans: Humans, say: Say | None) -> Intervene:
    """Put humans into their seats (see `rounds`)."""
    row = torch.arange(len(humans.games))

    def intervene(time: int, actions: Tensor, sent: Tensor) -> tuple[Tensor, Tensor]:
        actions = actions.index_put((row, humans.seat), humans.action_at(time))
        if say:
            sent = sent.index_put((row, humans.seat), say(humans.utterance_at(time)))
        return actions, sent

    return intervene


def _play(
    cell: Cell, game: DrivingGame, world: DrivingWorld, generator: torch.Generator, intervene: Intervene | None = None
) -> tuple[np.ndarray, np.ndarray]:
    played = list(rounds(cell, game, world, generator, intervene=intervene))
    return torch.stack([each.reward for each in played]).sum(0).double().numpy(), played[-1].success.double().numpy()


def translations(dictionary: pd.DataFrame, criterion: str, vocabulary: Speech) -> Tensor:
    """The message (utterances, message) into which each utterance is translated."""
    position = {int(message): row for row, message in enumerate(vocabulary.ids)}
    best = best_translations(dictionary, "H->R", criterion)
    return vocabulary.messages[[position[best[number]] for number in range(len(best))]]


@dataclass(frozen=True)
class Voice:
    """What becomes of a human's words: a way to translate them, and its name."""

    name: str
    title: str
    role: str
    say: Say | None
    times: int = 1  # number of times every game is played
    repeats: bool = False  # whether the last words are repeated while the human is silent


SILENCE, UNTRANSLATED, REPEATED = "silence", "neuralese", "repeated"


def voices(
    dictionary: pd.DataFrame, criteria: Mapping[str, Mapping], vocabulary: Speech, generator: torch.Generator
) -> list[Voice]:
    """Silence, what a robot would say, and the translation by each of the `criteria` of the dictionary."""
    messages = vocabulary.messages

    def silent(said: Tensor) -> Tensor:
        return messages.new_zeros(len(said), messages.shape[1])

    def at_random(said: Tensor) -> Tensor:
        return messages[torch.randint(len(messages), said.shape, generator=generator)]

    found = [Voice(SILENCE, "silence", SILENCE, silent), Voice(UNTRANSLATED, "a robot's own words", "native", None)]
    for name, settings in criteria.items():
        called = (name, title(name, settings), settings.get("role", ""))
        if not kind_of(settings).by_meaning:
            found.append(Voice(*called, at_random, RANDOM_REPEATS))
        else:
            found.append(Voice(*called, translations(dictionary, name, vocabulary).__getitem__))
    ours = with_role(criteria, "ours")
    for voice in [each for each in found if each.name == ours]:
        told = f"{ours}, repeated while the human is silent"
        found.append(replace(voice, name=REPEATED, title=told, role="", repeats=True))
    return found


@dataclass(frozen=True)
class Played:
    """Results of games: reward and completion (n,), and which games they were, if some belong together."""

    pair: str
    voice: Voice
    reward: np.ndarray
    completion: np.ndarray
    games: np.ndarray | None = None
    possible: float = 1.0  # share of games that can be completed at all


NOBODY = Voice("none", "same language", "native", None)


def evaluate_behavior(
    cell: Cell, game: DrivingGame, humans: Humans, ways: Iterable[Voice], fresh: int, generator: torch.Generator
) -> list[Played]:
    """Let two robots drive `fresh` games, and a robot with each of `humans` in all `ways` of translating.

    Repetitions of a game with one human are averaged.
    """
    played = [Played("R/R", NOBODY, *_play(cell, game, game.reset(fresh, generator), generator))]
    for way in ways:
        drivers = (humans.repeating() if way.repeats else humans)[torch.arange(len(humans.games)).repeat(way.times)]
        scores = drive(cell, game, drivers, way.say, generator)
        reward, completion = (each.reshape(way.times, -1).mean(0) for each in scores)
        possible = float(humans.arrives.double().mean())
        played.append(Played("R/H", way, reward, completion, humans.games.numpy(), possible))
    return played


def logged_games(games: pd.DataFrame, split: str) -> list[Played]:
    """How humans drove with each other: in the games of one split, and in all."""
    parts = {"H/H": games[games["split"] == split], "H/H all": games}
    return [
        Played(pair, NOBODY, part["reward"].to_numpy(), part["completed"].to_numpy(dtype=float))
        for pair, part in parts.items()
    ]


def behavior_table(played: list[Played], resamples: int, random: np.random.Generator) -> pd.DataFrame:
    """The table of outcomes of every pair and voice, with the share of games that could be completed (possible)."""
    outcomes = [
        Outcome(
            Condition(each.voice.name, each.voice.title, each.voice.role),
            {"pair": each.pair},
            {"reward": each.reward, "completion": each.completion},
            each.games,
            {"possible": each.possible},
        )
        for each in played
    ]
    return outcome_table(outcomes, random, OVER, resamples=resamples)
