"""The grid that cars drive on, as lookup tables: where a move leads, where the tail is, what is off the road.

A *cell* is a number, 8 * row + column. A *pose* is a cell and a heading, 4 * cell + direction, with the directions
north, east, south, west; the pose of a car that has arrived and left the road is `GONE`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

SIZE = 8
CELLS = SIZE * SIZE
POSES = 4 * CELLS
GONE = POSES  # the pose of a car that has left the road
WAIT, FORWARD, LEFT, RIGHT = range(4)  # actions; a turn also advances
ACTIONS = 4
DIRECTIONS = ("north", "east", "south", "west")


@dataclass(frozen=True)
class Layouts:
    """The roads of all maps, with the poses in which cars may start and the cells they may have to reach."""

    road: Tensor  # (maps, CELLS) bool
    starts: list[Tensor]  # poses, by map
    goals: list[Tensor]  # cells, by map

    @classmethod
    def of(cls, roads: Iterable[str], starts: Iterable[Sequence[int]], goals: Iterable[Sequence[int]]) -> "Layouts":
        """The layouts of roads as lines of `#` and `.`."""
        road = torch.tensor([[cell == "#" for cell in lines.replace("\n", "")] for lines in roads])
        return cls(road, *([torch.tensor(each, dtype=torch.int64) for each in lists] for lists in (starts, goals)))


def _ahead(row: Tensor, column: Tensor, direction: Tensor, by: int) -> Tensor:
    """The cell `by` cells ahead, or the last one before the border."""
    down = torch.tensor([-1, 0, 1, 0])[direction]
    across = torch.tensor([0, 1, 0, -1])[direction]
    return SIZE * (row + by * down).clamp(0, SIZE - 1) + (column + by * across).clamp(0, SIZE - 1)


def _grid() -> tuple[Tensor, Tensor, Tensor]:
    """Row, column and direction of every pose."""
    poses = torch.arange(POSES)
    return poses // 4 // SIZE, poses // 4 % SIZE, poses % 4


def move_table() -> Tensor:
    """The pose an action leads to, (POSES, ACTIONS): a turn is taken first, then all but waiting advance."""
    row, column, direction = _grid()
    moved = [torch.arange(POSES)]
    for turn in (0, -1, 1):  # forward, left, right
        heading = (direction + turn) % 4
        moved.append(4 * _ahead(row, column, heading, 1) + heading)
    return torch.stack(moved, dim=1)


def tail_table() -> Tensor:
    """The cell behind each pose, (POSES,); at the border the tail is under the head."""
    return _ahead(*_grid(), -1)


def distance_table() -> Tensor:
    """Distance along rows and columns between any two cells, (CELLS, CELLS)."""
    cells = torch.arange(CELLS)
    row, column = cells // SIZE, cells % SIZE
    return (row[:, None] - row).abs() + (column[:, None] - column).abs()


def off_road_table(road: Tensor) -> Tensor:
    """How many of a car's two cells are off the road, (maps, POSES); at the border it has one."""
    off, head, tail = (~road).long(), torch.arange(POSES) // 4, tail_table()
    return off[:, head] + off[:, tail] * (tail != head)
