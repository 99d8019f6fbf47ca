"""Driving games to watch: what both cars do and say at every turn, in English, as a table and as pictures."""

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure
from PIL import Image
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import rounds
from neuralese.figures import save
from neuralese.stages.run import Run
from neuralese.storage.files import atomic
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.driving.behavior import Humans, Say, load_humans, replaying, translations
from neuralese.tasks.driving.game import DrivingGame, DrivingWorld
from neuralese.tasks.driving.pictures import COLORS, road_map
from neuralese.tasks.driving.roads import GONE
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import translate
from neuralese.translate.families import named

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
