"""The same driving games under several conditions, to watch side by side.

Out of many fresh games of two robots, the first few with different rewards under the conditions are kept: in most
games nobody is in the way, and there is nothing to see.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.config.models import RelayConfig
from neuralese.stages.run import Run
from neuralese.tasks.driving.game import DrivingGame
from neuralese.tasks.driving.loop import Carry, Robot, Start, Turn, turns
from neuralese.tasks.driving.relay_table import NEURALESE, SILENCE, conditions
from neuralese.tasks.driving.relays import Booth, new_messages
from neuralese.tasks.driving.roads import GONE
from neuralese.translate.families import with_role

LOOKED_AT = 300  # number of fresh games to choose from
DIFFER = 0.05  # minimum difference between the rewards of two conditions
RELAYED = "relay"  # the name of these games in the column of pairs


def watch_side_by_side(
    run: Run, robot: Robot, choice: pd.DataFrame, criteria: Mapping[str, Mapping], config: RelayConfig, number: int
) -> pd.DataFrame:
    """`number` games in silence, by the baseline, by our criterion and in neuralese: the columns of `watched.parquet`.

    In neuralese, what is said is shown in English by our criterion; in silence nobody hears anything.
    """
    booth = Booth(run, robot.cell, config.contexts, config.vocabulary)
    every = {each.name: each for each in conditions(booth, choice, criteria, new_messages(run, len(run.phrases)))}
    named = (SILENCE, with_role(criteria, "baseline"), with_role(criteria, "ours"), NEURALESE)
    shown = [every[name] for name in named if name in every]
    ours = next((each.phrases for each in reversed(shown) if each.phrases), None)
    start, texts = Start.of(run, "watched", LOOKED_AT), run.english.texts()
    found = []
    for each in shown:
        english = None if each.name == SILENCE else each.phrases or ours
        found.append(played_out(run.states, start, robot, each.carry, english, texts).assign(criterion=each.name))
    kept = telling(found, number)
    watched = pd.concat([table[table["game"].isin(kept)] for table in found], ignore_index=True)
    return watched.assign(pair=RELAYED, game=watched["game"].map({game: place for place, game in enumerate(kept)}))


def telling(tables: list[pd.DataFrame], number: int) -> list[int]:
    """The first games whose rewards differ between the tables, or, if too few, the first games."""
    rewards = pd.concat([table.groupby("game")["reward"].last() for table in tables], axis=1)
    differ = rewards.max(axis=1) - rewards.min(axis=1) >= DIFFER
    return [*rewards.index[differ], *rewards.index[~differ]][:number]


def played_out(
    game: DrivingGame,
    start: Start,
    robot: Robot,
    carry: Carry,
    english: Callable[[Tensor], Tensor] | None,
    texts: list[str],
) -> pd.DataFrame:
    """Every turn of both players: the columns of `watched.parquet` but for pair and criterion."""
    total, parts = torch.zeros(len(start.world.map)), []
    for number, turn in enumerate(turns(game, start, (robot, robot), carry)):
        total[turn.games] += turn.reward
        parts += [_rows(turn, number, player, total, english, texts) for player in (0, 1)]
    return pd.concat(parts).sort_values(["game", "turn", "player"]).reset_index(drop=True)


def _rows(
    turn: Turn,
    number: int,
    player: int,
    total: Tensor,
    english: Callable[[Tensor], Tensor] | None,
    texts: list[str],
) -> pd.DataFrame:
    where, pose, goal = turn.seen[:, player].unbind(1)
    words = [""] * len(pose) if english is None else [texts[each] for each in english(turn.words[player]).tolist()]
    said = np.where(pose == GONE, "", np.array(words, dtype=object))
    ending = np.where(turn.success, "arrived", "crashed")
    return pd.DataFrame(
        {
            "game": turn.games.numpy(),
            "turn": number,
            "player": player,
            "who": "robot",
            "map": where.numpy(),
            "pose": pose.numpy(),
            "goal": goal.numpy(),
            "action": turn.actions[:, player].numpy(),
            "said": said,
            "reward": total[turn.games].double().numpy(),
            "outcome": np.where(turn.done, ending, ""),
        }
    )
