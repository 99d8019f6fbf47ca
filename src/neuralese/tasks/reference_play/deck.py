"""Rounds to play: held-out states in which the robot said something, and what they look like."""

import io
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.reference_play.robot import Robot
from neuralese.tasks.reference_play.translation import Said

DEALT = 60  # rounds whose pictures are made at a time: looking one up may mean reading a whole archive


@dataclass(frozen=True)
class Card:
    """A state with its candidates, in display order, and what the robot said in it."""

    states: Tensor  # (1, s, ...) the true one first
    said: Said
    order: list[int]  # the candidate at each place
    codes: list[int]  # of the candidates, by which their pictures are found

    @property
    def target(self) -> int:
        """The place of the true state."""
        return self.order.index(0)

    def by_place(self, values: list) -> list:
        """What is known about each candidate, in display order."""
        return [values[candidate] for candidate in self.order]


class Deck:
    """Deals cards; candidates that look the same to everybody are left out."""

    def __init__(self, robot: Robot, generator: torch.Generator) -> None:
        self.robot, self.generator = robot, generator
        self.pictures: dict[str, bytes] = {}  # PNG files, by name
        self.items: dict[int, dict] = {}  # name, color, ... of states, as in the report
        self._cards: list[Card] = []
        codes = robot.game.codes(robot.said.states)
        ordered = codes.sort(dim=1).values
        self._rows = torch.nonzero((ordered[:, 1:] != ordered[:, :-1]).all(1)).flatten()
        self._codes = codes

    def deal(self) -> Card:
        """The next card."""
        if not self._cards:
            self._shuffle()
        return self._cards.pop()

    def _shuffle(self) -> None:
        """Draw further cards, and make their pictures."""
        drawn = torch.randperm(len(self._rows), generator=self.generator)[:DEALT]
        self._cards = [self._card(row) for row in self._rows[drawn].tolist()]
        codes = {code for card in self._cards for code in card.codes} - self.items.keys()
        task, files = self.robot.run.task, self.robot.run.files
        self.pictures |= {picture_name(code): _png(pixels) for code, pixels in task.pixels(files, codes).items()}
        self.items |= task.described(files, [], [[code] for code in sorted(codes)])["items"]

    def features(self, codes: list[int]) -> list[np.ndarray | None]:
        """What the players see of states, if the tables of the game have it."""
        if self._features is None:
            return [None] * len(codes)
        return [self._features[code] for code in codes]

    @cached_property
    def _features(self) -> np.ndarray | None:
        items = self.robot.run.files.get("items.parquet")
        return None if items is None else matrix(read_table(items, "items", ["feature"])["feature"])

    def _card(self, row: int) -> Card:
        said = self.robot.said
        order = torch.randperm(said.states.shape[1], generator=self.generator).tolist()
        spoken = Said(said.messages[row : row + 1], int(said.ids[row]))
        return Card(said.states[row : row + 1], spoken, order, self._codes[row].tolist())


def picture_name(code: int) -> str:
    """The file of a state's picture, next to the page."""
    return f"state-{code}.png"


def _png(pixels: np.ndarray) -> bytes:
    """A picture (h, w, 3), of bytes or of numbers from 0 to 1."""
    if pixels.dtype.kind == "f":
        pixels = np.round(255 * pixels).astype(np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, "PNG")
    return buffer.getvalue()
