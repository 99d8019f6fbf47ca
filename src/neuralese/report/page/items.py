"""How the page shows what is spoken of: colours as such, birds as small pictures, roads as lines of a map."""

import base64
import io
from collections.abc import Iterable

import numpy as np
from PIL import Image

from neuralese.features.cielab import lab_to_rgb
from neuralese.report.pictures import Tables, bird_pixels, color_pixels
from neuralese.storage.tables import read_table

THUMBNAIL = 80  # pixels of a bird's longer side
QUALITY = 60  # of its WebP


def described(tables: Tables, pictured: Iterable[list], named: Iterable[list]) -> dict:
    """The items of states: with a picture those of the `pictured`, by name alone those of the `named`; or the roads."""
    if "maps" in tables:
        return {"roads": read_table(tables["maps"], "maps")["road"].to_pylist()}
    pictures, names = ({item for state in states for item in state} for states in (pictured, named))
    if "colors" in tables:
        return {"items": colors(tables, pictures | names), "shades": shades(tables)}
    return {"items": birds(tables, pictures, pictures | names)}


def colors(tables: Tables, items: set[int]) -> dict[int, dict]:
    """What somebody called each of `items`, and the colour."""
    pixels, order = color_pixels(tables, items), sorted(items)
    names = read_table(tables["colors"], "colors")["name"].take(order).to_pylist()
    return {item: {"name": name, "color": _hex(pixels[item])} for item, name in zip(order, names, strict=True)}


def shades(tables: Tables) -> list[str | None]:
    """For each phrase the mean of the colours that humans named with it."""
    lab = read_table(tables["colors"], "colors").select(["L", "a", "b"]).to_pandas().to_numpy(np.float64)
    traces = read_table(tables["traces"], "traces")
    said = traces["phrases"].combine_chunks()
    phrase = said.flatten().to_numpy().astype(np.int64)
    item = np.repeat(traces["item_id"].to_numpy(), said.value_lengths().to_numpy())
    size = read_table(tables["inventory"], "inventory").num_rows
    counts = np.bincount(phrase, minlength=size)
    sums = np.stack([np.bincount(phrase, weights=part[item], minlength=size) for part in lab.T], axis=1)
    shown = lab_to_rgb(sums / np.maximum(counts, 1)[:, None])
    return [_hex(rgb) if count else None for rgb, count in zip(shown, counts, strict=True)]


def _hex(rgb: np.ndarray) -> str:
    return "#{:02x}{:02x}{:02x}".format(*np.round(255 * rgb).astype(int).ravel())


def birds(tables: Tables, pictured: set[int], named: set[int]) -> dict[int, dict]:
    """The species of a bird, and a small picture of it."""
    image_of = read_table(tables["item_table"], "items")["image_id"].to_pylist()
    species = read_table(tables["images"], "images").to_pandas().set_index("image_id")["class_name"]
    names = {item: species[image_of[item]].partition(".")[2].replace("_", " ") for item in sorted(named)}
    pixels = bird_pixels(tables, pictured)
    return {
        item: {"name": name} | ({"image": thumbnail(pixels[item])} if item in pixels else {})
        for item, name in names.items()
    }


def thumbnail(pixels: np.ndarray) -> str:
    """A picture (h, w, 3), made small, as a data URI."""
    image, buffer = Image.fromarray(pixels), io.BytesIO()
    image.thumbnail((THUMBNAIL, THUMBNAIL))
    image.save(buffer, "WEBP", quality=QUALITY)
    return "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
