"""Driving games to watch: what both cars do and say at every turn, in English, as a table and as pictures."""

import io
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from PIL import Image, ImageDraw
from torch import Tensor

from neuralese.config.models import RelayConfig
from neuralese.evaluate.relay import NATIVE, SILENCE
from neuralese.games.driving import CELLS, GONE, POSES, SIZE
from neuralese.stages.run import Run
from neuralese.storage.files import atomic
from neuralese.tasks.driving.behavior import dictionary_channel, replayed_pair
from neuralese.tasks.driving.channels import RelayChannel
from neuralese.tasks.driving.human import load_humans
from neuralese.tasks.driving.loop import Channel, Pair, Robot, robots, unchanged
from neuralese.tasks.driving.relay import Families, relay_conditions
from neuralese.tasks.driving.tables import MAPS, RELAY_CHOICE
from neuralese.translate.dictionary import Lookup
from neuralese.translate.families import with_role

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKED_AT = 300  # number of fresh games from which those to watch side by side are chosen
DIFFER = 0.05  # minimum difference between their rewards under two conditions
ACTIONS = ("waits", "goes forward", "turns left", "turns right")
CELL = 16  # pixels
GRASS, ROAD, LINES = "#dfe8d8", "#8a8f98", "#a2a7b0"
COLORS = ("#d62839", "#1d5fd1")  # of the first and of the second car
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
            columns = {
                "game": turn.games.numpy(),
                "turn": number,
                "player": player,
                "who": who[player],
                "map": where.numpy(),
                "pose": pose.numpy(),
                "goal": goal.numpy(),
                "action": turn.actions[:, player].numpy(),
                "said": np.where(pose == GONE, "", said),
                "reward": total[turn.games].double().numpy(),
                "outcome": np.where(turn.done, ending, ""),
            }
            parts.append(pd.DataFrame(columns))
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


def draw_games(run: Run, watched: pd.DataFrame, criterion: str, robots: str, mixed: str, animation: str) -> None:
    """Draw the first game of two robots, as a strip and moving, and that of a robot with a human."""
    roads = run.table("maps.parquet", MAPS)["road"].tolist()
    drawn = (("R/R", draw_strip, robots), ("R/H", draw_strip, mixed), ("R/R", draw_animation, animation))
    for pair, draw, path in drawn:
        first = watched[(watched["pair"] == pair) & (watched["game"] == 0)]
        red, blue = first["who"].iloc[:2]
        draw(path, first, roads, f"red: {red}, blue: {blue} (by {criterion}, data: {run.data})")


def draw_strip(path: str | Path, game: pd.DataFrame, roads: list[str], title: str, columns: int = 6) -> None:
    """Draw one game of a `watch` table as a strip of its turns."""
    from neuralese.figures import save

    figure = _figure([turn for _, turn in game.groupby("turn")], roads, title, columns)
    save(figure, path, dpi=120)


def draw_animation(path: str | Path, game: pd.DataFrame, roads: list[str], title: str) -> None:
    """Draw one game of a `watch` table as a GIF, one second per turn."""
    import matplotlib.pyplot as plt

    frames = []
    for _, turn in game.groupby("turn"):
        figure = _figure([turn], roads, title, 1)
        figure.set_size_inches(3.2, 3.9)
        buffer = io.BytesIO()
        figure.savefig(buffer, dpi=110, format="png")
        plt.close(figure)
        frames.append(Image.open(buffer).convert("P", palette=Image.Palette.ADAPTIVE))
    with atomic(path) as temporary:
        frames[0].save(temporary, "GIF", save_all=True, append_images=frames[1:], duration=1000, loop=0)


def _draw_turn(axes: "Axes", rows: pd.DataFrame, roads: list[str]) -> None:
    """One turn: the map, and below it what each player does and says."""
    first = rows.iloc[0]
    axes.imshow(road_map(roads[first["map"]], list(zip(rows["pose"], rows["goal"], strict=True))))
    axes.set_axis_off()
    ending = f": {first['outcome']}, reward {first['reward']:.2f}" if first["outcome"] else ""
    axes.set_title(f"turn {first['turn'] + 1}{ending}", fontsize=8)
    for line, row in enumerate(rows.itertuples()):
        done = row.pose == GONE
        text = "has arrived" if done else f"{ACTIONS[row.action]}" + (f", “{row.said}”" if row.said else "")
        place = (0.02, -0.04 - 0.11 * line)
        axes.text(*place, text, color=COLORS[line], fontsize=7, va="top", transform=axes.transAxes, clip_on=False)


def _figure(turns: list[pd.DataFrame], roads: list[str], title: str, columns: int) -> "Figure":
    import matplotlib.pyplot as plt

    rows = -(-len(turns) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(1.9 * columns, 2.35 * rows + 0.4), squeeze=False)
    figure.suptitle(title, fontsize=9, x=0.01, ha="left")
    for axes in grid.flat[len(turns) :]:
        axes.set_axis_off()
    for axes, turn in zip(grid.flat, turns, strict=False):
        _draw_turn(axes, turn, roads)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.16 / rows, top=1 - 0.55 / (2.35 * rows + 0.4), wspace=0.12)
    return figure


def pixels(roads: Sequence[str], codes: Collection[int]) -> dict[int, np.ndarray]:
    """States, by their codes, each as a car on its road."""
    pictures = {}
    for code in codes:
        rest, goal = divmod(code, CELLS)
        where, pose = divmod(rest, POSES)
        pictures[code] = road_map(roads[where], [(pose, goal)])
    return pictures


def road_map(road: str, cars: Sequence[tuple[int, int]]) -> np.ndarray:
    """Draw a road (eight lines of `#` and `.`) and cars as (pose, goal): pixels (h, w, 3). A car may be `GONE`."""
    image = Image.new("RGB", (SIZE * CELL, SIZE * CELL), GRASS)
    draw = ImageDraw.Draw(image)
    for row, line in enumerate(road.splitlines()):
        for column, cell in enumerate(line):
            if cell == "#":
                x, y = column * CELL, row * CELL
                draw.rectangle((x, y, x + CELL - 1, y + CELL - 1), fill=ROAD, outline=LINES)
    for number, ((_, goal), color) in enumerate(zip(cars, COLORS, strict=False)):
        shared = number > 0 and goal == cars[0][1]  # then the second star is inside the first
        _star(draw, goal, color, 0.6 if shared else 1.0)
    for (pose, _), color in zip(cars, COLORS, strict=False):
        if pose != GONE:
            _car(draw, pose, color)
    return np.asarray(image)


def _centre(cell: int) -> tuple[float, float]:
    return (cell % SIZE + 0.5) * CELL, (cell // SIZE + 0.5) * CELL


def _star(draw: ImageDraw.ImageDraw, cell: int, color: str, size: float) -> None:
    x, y = _centre(cell)
    radii = (0.46 * CELL * size, 0.2 * CELL * size)
    angles = [math.pi * (k / 5 - 0.5) for k in range(10)]
    points = [(x + radii[k % 2] * math.cos(a), y + radii[k % 2] * math.sin(a)) for k, a in enumerate(angles)]
    draw.polygon(points, fill="white", outline=color)


def _car(draw: ImageDraw.ImageDraw, pose: int, color: str) -> None:
    x, y = _centre(pose // 4)
    across, down = AHEAD[pose % 4]
    back_x, back_y, half = x - across * 1.3 * CELL, y - down * 1.3 * CELL, 0.3 * CELL
    side_x, side_y = -down * half, across * half
    nose = (x + across * 0.45 * CELL, y + down * 0.45 * CELL)
    body = [
        nose,
        (x + side_x, y + side_y),
        (back_x + side_x, back_y + side_y),
        (back_x - side_x, back_y - side_y),
        (x - side_x, y - side_y),
    ]
    draw.polygon(body, fill=color, outline="white")
