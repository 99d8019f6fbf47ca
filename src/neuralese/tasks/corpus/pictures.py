"""What the states of a corpus look like: a picture or a swatch if they have one, otherwise their label."""

import base64
import io
from collections.abc import Collection, Iterable

import numpy as np
from PIL import Image, ImageDraw

from neuralese.storage.tables import read_table
from neuralese.tasks.corpus.tables import PICTURES, STATES
from neuralese.tasks.task import Files

CARD = (150, 110)  # pixels of a picture


def pixels(files: Files, codes: Collection[int]) -> dict[int, np.ndarray]:
    """Each of the states as its picture, or as a card, (h, w, 3) bytes."""
    order = sorted(codes)
    table = read_table(files["states.parquet"], STATES).take(order).to_pydict()
    copies = _copies(files, set(table["picture"]))
    rows = zip(order, table["shown"], table["color"], table["picture"], strict=True)
    return {code: _decoded(copies[picture]) if picture else _card(shown, color) for code, shown, color, picture in rows}


def _copies(files: Files, wanted: set[str]) -> dict[str, bytes]:
    """The small copies of some pictures, by their paths; most corpora have none."""
    if not wanted - {""}:
        return {}
    table = read_table(files["pictures.parquet"], PICTURES).to_pydict()
    return {path: copy for path, copy in zip(table["picture"], table["content"], strict=True) if path in wanted}


def _decoded(copy: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(copy)).convert("RGB"))


def _card(shown: str, color: str) -> np.ndarray:
    image = Image.new("RGB", CARD, color or "#f2f2ee")
    draw = ImageDraw.Draw(image)
    for line, text in enumerate(shown.split(", ")[:7]):
        draw.text((6, 6 + 14 * line), text[:24], fill="black", stroke_width=1, stroke_fill="white")
    return np.asarray(image)


def described(files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
    """The states as the page shows them: their labels, and their picture or colour, if they have one."""
    rows = sorted({row for states in (pictured, named) for state in states for row in state})
    table = read_table(files["states.parquet"], STATES).take(rows).to_pydict()
    copies = _copies(files, set(table["picture"]))
    items = {}
    columns = (table[name] for name in ("shown", "label", "color", "picture"))
    for row, shown, label, color, picture in zip(rows, *columns, strict=True):
        look = {"color": color, "text": label} if color else {}
        if picture:
            look = {"image": "data:image/webp;base64," + base64.b64encode(copies[picture]).decode()}
        items[row] = {"name": shown} | look
    return {"items": items}
