"""What birds look like."""

import base64
import io
from collections.abc import Collection, Iterable

import numpy as np
from PIL import Image

from neuralese.data.archives import members
from neuralese.storage.tables import read_table
from neuralese.tasks.birds.crops import crop
from neuralese.tasks.birds.data import IMAGES, PICTURES
from neuralese.tasks.task import Files

THUMBNAIL = 80  # longer side of a thumbnail, in pixels
QUALITY = 60  # of its WebP


def pixels(files: Files, codes: Collection[int]) -> dict[int, np.ndarray]:
    """Each of the items as the picture of a bird, (h, w, 3) bytes, from the raw archive."""
    image_of = read_table(files["items.parquet"], "items")["image_id"].to_pylist()
    images = read_table(files["images.parquet"], IMAGES).to_pandas().set_index("image_id")
    shown = {images.loc[image_of[item], "path"]: item for item in codes}
    pictures = {}
    for path, content in members(files["raw"] / "images", PICTURES):
        if path in shown:
            pictures[shown[path]] = crop(content, images.loc[image_of[shown[path]], "box"])
    return pictures


def described(files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
    """The items of states as the page shows them: the `pictured` with a picture, the `named` by name."""
    pictures, names = ({item for state in states for item in state} for states in (pictured, named))
    return {"items": birds(files, pictures, pictures | names)}


def birds(files: Files, pictured: set[int], named: set[int]) -> dict[int, dict]:
    """The species of a bird, and a small picture of it."""
    image_of = read_table(files["items.parquet"], "items")["image_id"].to_pylist()
    species = read_table(files["images.parquet"], IMAGES).to_pandas().set_index("image_id")["class_name"]
    names = {item: species[image_of[item]].partition(".")[2].replace("_", " ") for item in sorted(named)}
    shown = pixels(files, pictured) if pictured else {}
    return {
        item: {"name": name} | ({"image": thumbnail(shown[item])} if item in shown else {})
        for item, name in names.items()
    }


def thumbnail(picture: np.ndarray) -> str:
    """A picture (h, w, 3) as the data URI of a thumbnail."""
    image, buffer = Image.fromarray(picture), io.BytesIO()
    image.thumbnail((THUMBNAIL, THUMBNAIL))
    image.save(buffer, "WEBP", quality=QUALITY)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
