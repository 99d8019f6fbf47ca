"""Road maps as pictures: the road, cars with head and tail, and their goals."""

import math
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from PIL import Image, ImageDraw

from neuralese.storage.tables import read_table
from neuralese.tasks.driving.roads import CELLS, GONE, POSES, SIZE
from neuralese.tasks.driving.tables import MAPS
from neuralese.tasks.task import Files

CELL = 16  # pixels
GRASS, ROAD, LINES = "#dfe8d8", "#8a8f98", "#a2a7b0"
COLORS = ("#d62839", "#1d5fd1")  # of the first and of the second car
AHEAD = ((0, -1), (1, 0), (0, 1), (-1, 0))  # north, east, south, west as (x, y)


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
