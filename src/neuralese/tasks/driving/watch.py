"""Driving games to watch: what both cars do and say at every turn, in English, as a table and as pictures."""

import io
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from PIL import Image, ImageDraw
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import rounds
from neuralese.config.models import RelayConfig
from neuralese.figures import save
from neuralese.games.driving import CELLS, GONE, POSES, SIZE, DrivingGame, DrivingWorld
from neuralese.stages.run import Run
from neuralese.storage.files import atomic
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.driving.behavior import Say, replaying, translations
from neuralese.tasks.driving.human import Humans, load_humans
from neuralese.tasks.driving.loop import Carry, Robot, Start, Turn, turns
from neuralese.tasks.driving.relay_table import NEURALESE, SILENCE, conditions
from neuralese.tasks.driving.relays import Booth, new_messages
from neuralese.tasks.driving.tables import MAPS, WATCHED
from neuralese.tasks.task import Files
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import translate
from neuralese.translate.families import named, with_role

LOOKED_AT = 300  # number of fresh games to choose from
DIFFER = 0.05  # minimum difference between the rewards of two conditions
RELAYED = "relay"  # the name of these games in the column of pairs
CELL = 16  # pixels
GRASS, ROAD, LINES = "#dfe8d8", "#8a8f98", "#a2a7b0"
COLORS = ("#d62839", "#1d5fd1")  # of the first and of the second car
AHEAD = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west as (x, y)
ACTIONS = ("waits", "goes forward", "turns left", "turns right")
Translate = Callable[[Tensor], list[str]]  # messages (n, message) -> their English


def watch(
    cell: Cell,
    game: DrivingGame,
    world: DrivingWorld,
    translate: Translate,
    generator: torch.Generator,
    humans: tuple[Humans, Say, list[str]] | None = None,
) -> pd.DataFrame:
    """Play on from `world` and record every turn of both players: the columns of `watched.parquet`.

    With `humans` (replayed in `world`, their utterances as messages and as text), one seat is a human's.
    """
    intervene = replaying(humans[0], humans[1]) if humans else None
    rows, over, total = [], torch.zeros(len(world.map), dtype=torch.bool), torch.zeros(len(world.map))
    for turn, played in enumerate(rounds(cell, game, world, generator, intervene=intervene)):
        texts = translate(played.said.flatten(0, 1))
        total = total + played.reward
        for number in torch.nonzero(~over).flatten().tolist():
            ending = "arrived" if played.success[number] else "crashed"
            outcome = ending if played.over[number] else ""
            for player in (0, 1):
                where, pose, goal = played.observations[number, player].tolist()
                human = humans is not None and int(humans[0].seat[number]) == player
                said = texts[2 * number + player]
                if humans is not None and human:
                    said = humans[2][int(humans[0].utterance_at(turn)[number])]
                rows.append(
                    {
                        "game": number,
                        "turn": turn,
                        "player": player,
                        "who": "human" if human else "robot",
                        "map": where,
                        "pose": pose,
                        "goal": goal,
                        "action": int(played.actions[number, player]),
                        "said": said if bool(played.counts[number, player]) else "",
                        "reward": float(total[number]),
                        "outcome": outcome,
                    }
                )
        over = played.over
    return pd.DataFrame(rows)


def watch_games(run: Run, cell: Cell, criterion: str, number: int) -> pd.DataFrame:
    """Games of two robots and of a robot with a replayed human, `number` of each: the columns of `watched.parquet`."""
    game, random, said = run.games["test"], run.generator("watch"), run.said["train"]
    settings = named(read_about(run.files["dictionary.parquet"])["criteria"]["R->H"], criterion)
    into_english = partial(
        translate, make_criterion(settings), run.language(said), run.english.spoken(), run.contexts()
    )
    dictionary = read_table(run.files["dictionary.parquet"], "dictionary").to_pandas()
    say = translations(dictionary, criterion, said).__getitem__
    assert run.silence is not None  # drivers are silent at times
    humans = load_humans(run.files, "test", run.parts, run.silence)[torch.arange(number)]
    texts = read_table(run.files["utterances.parquet"], "utterances")["text"].to_pylist()
    robots = watch(cell, game, game.reset(number, random), into_english, random)
    mixed = watch(cell, game, humans.world, into_english, random, (humans, say, texts))
    watched = pd.concat([robots.assign(pair="R/R"), mixed.assign(pair="R/H")], ignore_index=True)
    return watched.assign(criterion=criterion)


def _draw_turn(axes: plt.Axes, rows: pd.DataFrame, roads: list[str]) -> None:
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


def _figure(turns: list[pd.DataFrame], roads: list[str], title: str, columns: int) -> Figure:
    rows = -(-len(turns) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(1.9 * columns, 2.35 * rows + 0.4), squeeze=False)
    figure.suptitle(title, fontsize=9, x=0.01, ha="left")
    for axes in grid.flat[len(turns) :]:
        axes.set_axis_off()
    for axes, turn in zip(grid.flat, turns, strict=False):
        _draw_turn(axes, turn, roads)
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.16 / rows, top=1 - 0.55 / (2.35 * rows + 0.4), wspace=0.12)
    return figure


def draw_strip(path: str | Path, game: pd.DataFrame, roads: list[str], title: str, columns: int = 6) -> None:
    """Draw one game of a `watch` table as a strip of its turns."""
    figure = _figure([turn for _, turn in game.groupby("turn")], roads, title, columns)
    save(figure, path, dpi=120)


def draw_animation(path: str | Path, game: pd.DataFrame, roads: list[str], title: str) -> None:
    """Draw one game of a `watch` table as a GIF, one second per turn."""
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


def pixels(files: Files, codes: Collection[int]) -> dict[int, np.ndarray]:
    """Each of the states, by its code, as a car on its road."""
    roads, pictures = read_table(files["maps.parquet"], MAPS)["road"].to_pylist(), {}
    for code in codes:
        rest, goal = divmod(code, CELLS)
        where, pose = divmod(rest, POSES)
        pictures[code] = road_map(roads[where], [(pose, goal)])
    return pictures


def described(files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
    """The roads, on which the page draws any state."""
    return {"roads": read_table(files["maps.parquet"], MAPS)["road"].to_pylist()}


def watched_games(files: Files) -> list[dict]:
    """Watched games turn by turn."""
    return turn_by_turn(read_table(files["watched.parquet"], WATCHED).to_pandas())


def turn_by_turn(watched: pd.DataFrame) -> list[dict]:
    """Watched games turn by turn; games of one pair with the same `start` began identically."""
    games = []
    for (pair, criterion, number), game in watched.groupby(["pair", "criterion", "game"], sort=False):
        turns = []
        for _, rows in game.groupby("turn"):
            cars = rows[["pose", "goal", "action", "said"]].to_dict("records")
            turns.append({"cars": cars, "reward": round(rows["reward"].iloc[0], 2), "outcome": rows["outcome"].iloc[0]})
        who = {"pair": pair, "criterion": criterion, "start": int(number), "who": game["who"].iloc[:2].tolist()}
        games.append(who | {"map": int(game["map"].iloc[0]), "turns": turns})
    return games
