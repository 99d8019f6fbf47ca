"""The paper's behaviour evaluation of the driving game (Table 3): a robot drives with a human who is replayed.

A human player's actions and messages are taken from a test game exactly as they were, whatever the robot does; each
message is translated into neuralese, and the robot drives the other car. Both seats of every game are played in turn.
Once the trace is at its end the human waits, or is gone if it had arrived, and says nothing.

    R / R   two robots in fresh games          R / H   a robot with a replayed human, by the way messages are translated
    H / H   the humans themselves

A message of several phrases is translated by its first; a message without any phrase of the inventory, as silence.
Beside the criteria of the dictionary there are two ways without one: *silent*, in which the robot hears nothing, and
*untranslated*, in which it hears what a second robot says in the human's place.

In a trace whose human never arrived (most of them crashed) no robot can complete the game: `possible` is the share of
traces in which one can.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Intervene, rounds
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import best_translations
from neuralese.evaluate.statistics import bootstrap_interval
from neuralese.games.driving import DrivingGame, DrivingWorld
from neuralese.games.replay import Logged
from neuralese.speakers.traces import load_silence
from neuralese.tables import read_table

RANDOM_REPEATS = 10  # so often is every game played with random translations
Say = Callable[[Tensor], Tensor]  # phrases (n,) -> messages (n, message)


@dataclass(frozen=True)
class Humans:
    """Humans of logged games, both seats of each."""

    games: Tensor  # (n,)
    seat: Tensor  # (n,)
    world: DrivingWorld  # where they began
    action: Tensor  # (n, turns) waiting at the end
    phrase: Tensor  # (n, turns) silence at the end
    arrives: Tensor  # (n,) bool: sooner or later the human's car arrives

    @classmethod
    def of(cls, turns: pd.DataFrame, phrases: np.ndarray, silence: int) -> "Humans":
        """The humans of the games in `turns`; `phrases` is what is said in each of its rows, as one phrase."""
        logged = Logged(turns)
        game, seat = torch.arange(2 * len(logged.ids)) // 2, torch.arange(2 * len(logged.ids)) % 2
        said = torch.from_numpy(phrases.astype(np.int64))[logged.row].where(logged.row >= 0, silence)
        return cls(
            games=torch.from_numpy(logged.ids)[game],
            seat=seat,
            world=logged.start()[game],
            action=logged.action[game, :, seat],
            phrase=said[game, :, seat],
            arrives=logged.done[game, :, seat].any(1),
        )

    def __getitem__(self, rows: Tensor) -> "Humans":
        """Some of the humans."""
        parts = (self.games, self.seat, self.world, self.action, self.phrase, self.arrives)
        return Humans(*(part[rows] for part in parts))

    def action_at(self, time: int) -> Tensor:
        """What the humans do at a step, (n,)."""
        return self.action[:, min(time, self.action.shape[1] - 1)]

    def phrase_at(self, time: int) -> Tensor:
        """What they say at a step, (n,)."""
        return self.phrase[:, min(time, self.phrase.shape[1] - 1)]


def load_humans(tables: Mapping[str, str | Path], split: str) -> Humans:
    """The humans of one split, from the files of the driving task."""
    games, turns = (read_table(tables[name], name).to_pandas() for name in ("games", "turns"))
    traces, silence = read_table(tables["traces"], "traces"), load_silence(tables)
    phrases = np.full(len(turns), silence)
    for row, said in zip(traces["item_id"].to_pylist(), traces["phrases"].to_pylist(), strict=True):
        phrases[row] = said[0] if said else silence
    chosen = turns["game"].isin(games.loc[games["split"] == split, "game"]).to_numpy()
    return Humans.of(turns[chosen].reset_index(drop=True), phrases[chosen], silence)


def drive(
    cell: Cell, game: DrivingGame, humans: Humans, say: Say | None, generator: torch.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Let robots drive with `humans`, whose phrases become messages by `say`: reward and completion (n,).

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
            sent = sent.index_put((row, humans.seat), say(humans.phrase_at(time)))
        return actions, sent

    return intervene


def _play(
    cell: Cell, game: DrivingGame, world: DrivingWorld, generator: torch.Generator, intervene: Intervene | None = None
) -> tuple[np.ndarray, np.ndarray]:
    played = list(rounds(cell, game, world, generator, intervene=intervene))
    return torch.stack([each.reward for each in played]).sum(0).double().numpy(), played[-1].success.double().numpy()


def translations(dictionary: pd.DataFrame, criterion: str, vocabulary: Speech) -> Tensor:
    """The message (phrases, message) into which each phrase is translated."""
    position = {int(message): row for row, message in enumerate(vocabulary.ids)}
    best = best_translations(dictionary, "H->R", criterion)
    return vocabulary.messages[[position[best[phrase]] for phrase in range(len(best))]]


def ways_to_say(dictionary: pd.DataFrame, vocabulary: Speech, generator: torch.Generator) -> dict[str, Say | None]:
    """What becomes of phrases: nothing, what a robot would say, or their translation by each criterion."""
    messages = vocabulary.messages

    def silent(phrases: Tensor) -> Tensor:
        return messages.new_zeros(len(phrases), messages.shape[1])

    def at_random(phrases: Tensor) -> Tensor:
        return messages[torch.randint(len(messages), phrases.shape, generator=generator)]

    ways: dict[str, Say | None] = {"silent": silent, "untranslated": None}
    for criterion in dictionary["criterion"].unique():
        by_dictionary = translations(dictionary, criterion, vocabulary).__getitem__
        ways[criterion] = at_random if criterion == "random" else by_dictionary
    return ways


def evaluate_behavior(
    cell: Cell,
    game: DrivingGame,
    humans: Humans,
    logged: pd.DataFrame,
    ways: dict[str, Say | None],
    fresh: int,
    resamples: int,
    generator: torch.Generator,
) -> pd.DataFrame:
    """Drive in every pair, and with humans in all `ways` of translating.

    `logged` are the games of the humans (game, completed, reward), `fresh` the number of games that robots play with
    each other. Columns of the result: pair, criterion, reward, completion, their _ci_low and _ci_high, n, possible.
    """
    results = {
        ("R/R", "none"): (*_play(cell, game, game.reset(fresh, generator), generator), None, 1.0),
        ("H/H", "none"): (logged["reward"].to_numpy(), logged["completed"].to_numpy(dtype=float), None, 1.0),
    }
    for criterion, say in ways.items():
        times = RANDOM_REPEATS if criterion == "random" else 1
        drivers = humans[torch.arange(len(humans.games)).repeat(times)]
        scores = drive(cell, game, drivers, say, generator)
        results["R/H", criterion] = (*scores, drivers.games.numpy(), float(drivers.arrives.double().mean()))
    bootstrap = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
    rows = []
    for (pair, criterion), (reward, completion, games, possible) in results.items():
        row = {"pair": pair, "criterion": criterion, "n": len(reward), "possible": possible}
        for name, values in (("reward", reward), ("completion", completion)):
            low, high = bootstrap_interval(values, bootstrap, resamples, games)
            row |= {name: values.mean(), f"{name}_ci_low": low, f"{name}_ci_high": high}
        rows.append(row)
    return pd.DataFrame(rows)
