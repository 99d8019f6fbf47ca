"""What the items of reference games look like."""

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np

from neuralese.data.archives import members
from neuralese.data.cub import PICTURES
from neuralese.features.cielab import lab_to_rgb
from neuralese.features.crops import crop
from neuralese.storage.tables import read_table

Tables = Mapping[str, str | Path]


def color_pixels(tables: Tables, items: Collection[int]) -> dict[int, np.ndarray]:
    """Each of `items` as one pixel, (1, 1, 3) in 0..1, by the table of `colors`."""
    order = sorted(items)
    lab = read_table(tables["colors"], "colors").select(["L", "a", "b"]).take(order).to_pandas().to_numpy(np.float64)
    return dict(zip(order, lab_to_rgb(lab)[:, None, None], strict=True))


def bird_pixels(tables: Tables, items: Collection[int]) -> dict[int, np.ndarray]:
    """Each of `items` as the picture of a bird, (h, w, 3) bytes, by `item_table`, `images` and the `raw` archive."""
    image_of = read_table(tables["item_table"], "items")["image_id"].to_pylist()
    images = read_table(tables["images"], "images").to_pandas().set_index("image_id")
    shown = {images.loc[image_of[item], "path"]: item for item in items}
    pictures = {}
    for path, content in members(Path(tables["raw"]) / "images", PICTURES):
        if path in shown:
            pictures[shown[path]] = crop(content, images.loc[image_of[shown[path]], "box"])
    return pictures
