"""The task of naming birds: its facts, and what birds look like."""

import base64
import io
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from neuralese.config.models import Birds as Settings
from neuralese.config.models import FitConfig, TrainingConfig
from neuralese.data.data_sets import Archive, DataSet
from neuralese.tasks.task import FILES, Files, Paper, ReferenceTask, accuracies

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ATTRIBUTES = 6  # number of most frequent phrases that count as variables
THUMBNAIL = 80  # longer side of a thumbnail, in pixels
QUALITY = 60  # of its WebP
CUB = DataSet(
    title="Caltech-UCSD Birds 200-2011, described by Reed et al. (2016)",
    licence="non-commercial research and education",
    archives=(
        Archive(
            file="images",
            mirror="CUB_200_2011_224px.tar",  # all images, scaled to a short side of at most 224 pixels
            urls=("https://data.caltech.edu/records/65de6-vp158/files/CUB_200_2011.tgz",),
            used=r"CUB_200_2011/(images/.+\.jpg|(?:images|image_class_labels|classes|bounding_boxes)\.txt)$",
            content_sha256="60d9c1146475e31fe402805f5b61e7d36a76d43bf8ddc9161ed267bf9f8adf2d",
            file_md5="97eceeb196236b17998738112f37df78",
            largest=3 << 29,  # 1.1 GB, with some margin
        ),
        Archive(
            file="captions",
            mirror="birds.zip",
            urls=(
                "https://github.com/Jagadeesh-N/DF-GAN-Text-to-Image-Synthesis/raw/"
                "1ca5fed5f8573402ae98b4f73a89f89498334900/data/birds.zip",
            ),
            used=r"^(birds/(?:captions|(?:train|test)/filenames)\.pickle)$",
            content_sha256="df568011f9bb57089d888270a8aca37f5b521350f58057a7319c4589fe0423d5",
        ),
        Archive(
            file="splits",
            mirror="neuralese-fa55efc.tar.gz",
            urls=("https://github.com/jacobandreas/neuralese/archive/fa55efcc9c7ae864e55682c306576cfc6c2234b6.tar.gz",),
            used=r"data/birds/((?:train|val|test)\.txt)$",
            content_sha256="0ffc4b8c8b7c7a9a9d8308aded4cc1abb73b589111e55d74f9f5825fe3afb833",
        ),
    ),
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
    paper = Paper("1b", accuracies(0.95, 0.77, into_english=(0.50, 0.57, 0.75), into_neuralese=(0.50, 0.55, 0.60)))

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
