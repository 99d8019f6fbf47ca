"""Driving games to watch: what both cars do and say at every turn, in English; and pictures of states."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from PIL import Image, ImageDraw
from torch import Tensor

from neuralese.config.models import RelayConfig
from neuralese.evaluate.relay import NATIVE, SILENCE
from neuralese.games.driving import CELLS, GONE, POSES, SIZE
from neuralese.stages.run import Run
from neuralese.tasks.driving.behavior import dictionary_channel, replayed_pair
from neuralese.tasks.driving.channels import RelayChannel
from neuralese.tasks.driving.human import load_humans
from neuralese.tasks.driving.loop import Channel, Pair, Robot, robots, unchanged
from neuralese.tasks.driving.relay import Families, relay_conditions
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.translate.dictionary import Lookup
from neuralese.translate.families import with_role

LOOKED_AT = 300  # number of fresh games from which those to watch side by side are chosen
DIFFER = 0.05  # minimum difference between their rewards under two conditions
CELL = 16  # pixels
GRASS, ROAD, LINES, CAR = "#dfe8d8", "#8a8f98", "#a2a7b0", "#d62839"
AHEAD = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west as (x, y)
Texts = Callable[[Tensor], Sequence[str]]  # what drivers said (n, ...) in English


def watch_driving(run: Run, criteria: Families, relay: Mapping[str, Any], criterion: str, number: int) -> pd.DataFrame:
    """Games of two robots, of a robot with a replayed human, and of relays side by side: `number` of each."""
    lookup = Lookup(run)

    def english(messages: Tensor) -> list[str]:
        return [answer.best[0].text for answer in lookup.messages(messages, criterion, 1)]

    pair = robots(run, "watch", number)
    alone = record(pair, unchanged, (english, english))
    humans = load_humans(run.files, "test", run.parts, run.phrases.index(""))[torch.arange(number)]
    utterances = np.array(run.table("utterances.parquet")["text"])
    channel = dictionary_channel(run, criterion, lookup.criteria["H->R"][criterion])
    with_humans = replayed_pair(Robot(run.cell), humans, run.states, pair.start.seed)
    mixed = record(with_humans, channel, (english, lambda said: utterances[said]), ("robot", "human"))
    watched = pd.concat([alone.assign(pair="R/R"), mixed.assign(pair="R/H")]).assign(criterion=criterion)
    return pd.concat([watched, side_by_side(run, criteria, RelayConfig(**relay), number)], ignore_index=True)


def record(
    pair: Pair, channel: Channel, english: tuple[Texts, Texts], who: tuple[str, str] = ("robot", "robot")
) -> pd.DataFrame:
    """Play to the end and record every turn of both drivers: the columns of `watched.parquet` but pair, criterion."""
    total, parts = torch.zeros(len(pair.start.world.map)), []
    for number, turn in enumerate(pair.turns(channel)):
        total[turn.games] += turn.reward
        ending = np.where(turn.success, "arrived", "crashed")
        for player in (0, 1):
            where, pose, goal = turn.seen[:, player].unbind(1)
            said = np.array(english[player](turn.words[player]), dtype=object)
            columns = {"game": turn.games, "map": where, "pose": pose, "goal": goal, "action": turn.actions[:, player]}
            part = pd.DataFrame({name: values.numpy() for name, values in columns.items()})
            part = part.assign(turn=number, player=player, who=who[player], said=np.where(pose == GONE, "", said))
            part["reward"] = total[turn.games].double().numpy()
            parts.append(part.assign(outcome=np.where(turn.done, ending, "")))
    return pd.concat(parts).sort_values(["game", "turn", "player"]).reset_index(drop=True)


def side_by_side(run: Run, criteria: Families, config: RelayConfig, number: int) -> pd.DataFrame:
    """The same games of two robots in silence, relayed by the baseline, relayed by our criterion, and in neuralese.

    Out of many fresh games, the first with different rewards are shown: in most games nobody is in the way, and there
    is nothing to see. Neuralese is shown in English by our criterion; in silence nobody hears anything.
    """
    choice, pair = run.table("relay_choice.parquet", RELAY_CHOICE), robots(run, "watched", LOOKED_AT)
    every: dict[str, Any] = {each.name: each.heard for each in relay_conditions(run, choice, criteria, config)}
    order = (SILENCE.name, with_role(criteria, "baseline"), with_role(criteria, "ours"), NATIVE.name)
    shown, texts = {name: every[name] for name in order if name in every}, np.array(run.english.texts())
    relays = [channel for channel in shown.values() if isinstance(channel, RelayChannel)]
    tables = []
    for name, channel in shown.items():
        relay = channel if isinstance(channel, RelayChannel) else relays[-1]

        def english(messages: Tensor, relay: RelayChannel = relay) -> Sequence[str]:
            return texts[relay.english(messages)]

        table = record(pair, channel, (english, english))
        tables.append(table.assign(criterion=name, said="" if name == SILENCE.name else table["said"]))
    kept = differing(tables, number)
    watched = pd.concat([table[table["game"].isin(kept)] for table in tables], ignore_index=True)
    return watched.assign(pair="relay", game=watched["game"].map({game: place for place, game in enumerate(kept)}))


def differing(tables: list[pd.DataFrame], number: int) -> list[int]:
    """The first games whose rewards differ between the tables or, if too few do, the first games."""
    rewards = pd.concat([table.groupby("game")["reward"].last() for table in tables], axis=1)
    differ = rewards.max(axis=1) - rewards.min(axis=1) >= DIFFER
    return [*rewards.index[differ], *rewards.index[~differ]][:number]


def turn_by_turn(watched: pd.DataFrame) -> list[dict]:
    """Watched games as JSON for the report; games of one pair with the same `start` began identically."""
    games = []
    for (pair, criterion, number), game in watched.groupby(["pair", "criterion", "game"], sort=False):
        turns = []
        for _, rows in game.groupby("turn"):
            cars = rows[["pose", "goal", "action", "said"]].to_dict("records")
            turns.append({"cars": cars, "reward": round(rows["reward"].iloc[0], 2), "outcome": rows["outcome"].iloc[0]})
        who = {"pair": pair, "criterion": criterion, "start": int(number), "who": game["who"].iloc[:2].tolist()}
        games.append(who | {"map": int(game["map"].iloc[0]), "turns": turns})
    return games


def pixels(roads: Sequence[str], codes: Collection[int]) -> dict[int, np.ndarray]:
    """States, by their codes, each as a car on its road."""
    pictures = {}
    for code in codes:
        rest, goal = divmod(code, CELLS)
        where, pose = divmod(rest, POSES)
        pictures[code] = road_map(roads[where], pose, goal)
    return pictures


def road_map(road: str, pose: int, goal: int) -> np.ndarray:
    """Draw a road (eight lines of `#` and `.`), a star at the goal, and a car: pixels (h, w, 3)."""
    image = Image.new("RGB", (SIZE * CELL, SIZE * CELL), GRASS)
    draw = ImageDraw.Draw(image)
    for number, cell in enumerate(road.replace("\n", "")):
        if cell == "#":
            top, left = (CELL * each for each in divmod(number, SIZE))
            draw.rectangle((left, top, left + CELL - 1, top + CELL - 1), fill=ROAD, outline=LINES)
    (x, y), radii = _centre(goal), (0.46 * CELL, 0.2 * CELL)
    angles = [math.pi * (k / 5 - 0.5) for k in range(10)]
    star = [(x + radii[k % 2] * math.cos(angle), y + radii[k % 2] * math.sin(angle)) for k, angle in enumerate(angles)]
    draw.polygon(star, fill="white", outline=CAR)
    x, y = _centre(pose // 4)
    across, down = AHEAD[pose % 4]
    back_x, back_y, half = x - across * 1.3 * CELL, y - down * 1.3 * CELL, 0.3 * CELL
    side_x, side_y = -down * half, across * half
    body = [
        (x + across * 0.45 * CELL, y + down * 0.45 * CELL),  # the nose
        (x + side_x, y + side_y),
        (back_x + side_x, back_y + side_y),
        (back_x - side_x, back_y - side_y),
        (x - side_x, y - side_y),
    ]
    draw.polygon(body, fill=CAR, outline="white")
    return np.asarray(image)


def _centre(cell: int) -> tuple[float, float]:
    return (cell % SIZE + 0.5) * CELL, (cell // SIZE + 0.5) * CELL
