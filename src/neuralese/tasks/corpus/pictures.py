"""What the states of a corpus look like: a swatch where they have a colour, else what they are called."""

from collections.abc import Collection, Iterable

import numpy as np
from PIL import Image, ImageDraw

from neuralese.storage.tables import read_table
from neuralese.tasks.corpus.tables import STATES
from neuralese.tasks.files import Files

CARD = (150, 110)  # pixels of a picture


def pixels(files: Files, codes: Collection[int]) -> dict[int, np.ndarray]:
    """Each of the states as a card, (h, w, 3) bytes."""
    order = sorted(codes)
    table = read_table(files["states.parquet"], STATES).take(order).to_pydict()
    rows = zip(order, table["shown"], table["color"], strict=True)
    return {code: _card(shown, color) for code, shown, color in rows}


def _card(shown: str, color: str) -> np.ndarray:
    image = Image.new("RGB", CARD, color or "#f2f2ee")
    draw = ImageDraw.Draw(image)
    for line, text in enumerate(shown.split(", ")[:7]):
        draw.text((6, 6 + 14 * line), text[:24], fill="black", stroke_width=1, stroke_fill="white")
    return np.asarray(image)


def described(files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
    """The states as the page shows them."""
    rows = sorted({row for states in (pictured, named) for state in states for row in state})
    table = read_table(files["states.parquet"], STATES).take(rows).to_pydict()
    items = zip(rows, table["shown"], table["color"], strict=True)
    return {"items": {row: {"name": shown} | ({"color": color} if color else {}) for row, shown, color in items}}
