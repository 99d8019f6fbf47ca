"""Naming birds: a reference game over the images of Caltech-UCSD Birds, which people described."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from neuralese.config.models import Birds as Settings
from neuralese.config.models import FitConfig, TrainingConfig
from neuralese.evaluate.paper import Paper
from neuralese.tasks.birds.source import CUB
from neuralese.tasks.task import FILES, Files, ReferenceTask

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

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
        """Write the stand-in."""
        from neuralese.tasks.birds.embedded import write

        write(raw)

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """What there is to say about birds."""
        from neuralese.tasks.birds.variables import variables

        return variables(files, columns)

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each item as the picture of a bird."""
        from neuralese.tasks.birds.pictures import pixels

        return pixels(files, codes)

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The items of states: those `pictured` with a picture."""
        from neuralese.tasks.birds.pictures import described

        return described(files, pictured, named)
