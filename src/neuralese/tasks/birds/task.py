"""The task of naming birds: its facts, and what birds look like."""

import base64
import io
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from neuralese.config.models import Birds as Settings
from neuralese.config.models import FitConfig, TrainingConfig
from neuralese.tasks.birds import CUB
from neuralese.tasks.task import FILES, Files, Paper, ReferenceTask

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ATTRIBUTES = 6  # number of most frequent phrases that count as variables
THUMBNAIL = 80  # longer side of a thumbnail, in pixels
QUALITY = 60  # of its WebP
PAPER = Paper(
    table="1b",
    belief={
        ("R", "R", "none"): 0.95,
        ("H", "H*", "none"): 0.77,
        ("R", "H*", "random"): 0.50,
        ("R", "H*", "direct"): 0.57,
        ("R", "H*", "belief"): 0.75,
        ("H", "R", "random"): 0.50,
        ("H", "R", "direct"): 0.55,
        ("H", "R", "belief"): 0.60,
    },
)


class Birds(ReferenceTask):
    """Naming birds: a reference game over the images of Caltech-UCSD Birds, which people described."""

    name = "birds"
    title = "Birds"
    data_set = CUB
    settings = Settings()
    training = TrainingConfig(
        updates=800,
        embedded_updates=550,
        batch=128,
        new_games=128,
        updates_per_round=4,
        explore=500,
        learning_rate=0.001,
    )
    fitting = FitConfig(learning_rate=0.001, check_every=50, patience=8)  # few items, soon overfitted
    files = FILES | {
        "variables": FILES["human"],
        "pictures": ("<raw>/{task}/raw", "<data>/{task}/images.parquet"),
    }
    stages = ("train_agent", "relay")
    paper = PAPER

    def embed(self, raw: Path) -> None:
        """Write stand-ins for the archives."""
        from neuralese.tasks.birds.embedded import write

        write(raw)

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """For each of the most frequent phrases: does anybody say it of the target?"""
        import pandas as pd

        from neuralese.storage.tables import read_table

        inventory = read_table(files["inventory.parquet"], "inventory")["phrase"].to_pylist()
        said = read_table(files["traces.parquet"], "traces").to_pandas().explode("phrases").dropna()
        items = {phrase: set(rows["item_id"]) for phrase, rows in said.groupby("phrases")}
        return pd.DataFrame(
            {
                inventory[phrase]: columns["target"].isin(items.get(phrase, set())).astype(int)
                for phrase in range(ATTRIBUTES)
            }
        )

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each item as the picture of a bird, (h, w, 3) bytes, from the raw archive."""
        from neuralese.data.archives import members
        from neuralese.tasks.birds.data import PICTURES, crop

        images = _images(files)
        shown = {images["path"][item]: item for item in codes}
        pictures = {}
        for path, content in members(files["raw"] / "images", PICTURES) if shown else ():
            if path in shown:
                pictures[shown[path]] = crop(content, images["box"][shown[path]])
        return pictures

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The species of each item; those `pictured` also with a small picture."""
        from PIL import Image

        pictures, names = ({item for state in states for item in state} for states in (pictured, named))
        shown, species, items = self.pixels(files, pictures), _images(files)["class_name"], {}
        for item in sorted(pictures | names):
            items[item] = {"name": species[item].partition(".")[2].replace("_", " ")}
            if item in shown:
                image, buffer = Image.fromarray(shown[item]), io.BytesIO()
                image.thumbnail((THUMBNAIL, THUMBNAIL))
                image.save(buffer, "WEBP", quality=QUALITY)
                items[item]["image"] = "data:image/webp;base64," + base64.b64encode(buffer.getvalue()).decode()
        return {"items": items}


def _images(files: Files) -> "pd.DataFrame":
    """The table of images, by item."""
    from neuralese.storage.tables import read_table
    from neuralese.tasks.birds.data import IMAGES

    image_of = read_table(files["items.parquet"], "items")["image_id"].to_numpy()
    return read_table(files["images.parquet"], IMAGES).to_pandas().set_index("image_id").loc[image_of].reset_index()
