"""Naming colours: a reference game over the answers of the XKCD colour survey."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from neuralese.config.models import Colors as Settings
from neuralese.config.models import TrainingConfig
from neuralese.evaluate.paper import Paper
from neuralese.tasks.colors.source import XKCD
from neuralese.tasks.task import FILES, Files, ReferenceTask

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

PAPER = Paper(
    table="1a",
    belief={
        ("R", "R", "none"): 1.00,
        ("H", "H*", "none"): 0.83,
        ("R", "H*", "random"): 0.50,
        ("R", "H*", "direct"): 0.72,
        ("R", "H*", "belief"): 0.86,
        ("H", "R", "random"): 0.50,
        ("H", "R", "direct"): 0.70,
        ("H", "R", "belief"): 0.73,
    },
)


class Colors(ReferenceTask):
    """Naming colours: a reference game over the answers of the XKCD colour survey."""

    name = "colors"
    title = "Colours"
    data_set = XKCD
    settings = Settings()
    training = TrainingConfig(
        updates=800, embedded_updates=550, batch=128, new_games=128, updates_per_round=4, explore=500
    )
    files = FILES | {
        "variables": ("<data>/{task}/colors.parquet",),
        "pictures": tuple(f"<data>/{{task}}/{table}.parquet" for table in ("colors", "traces", "inventory")),
    }
    stages = ("train_agent", "relay")
    paper = PAPER

    def embed(self, raw: Path) -> None:
        """Write the stand-in."""
        from neuralese.tasks.colors.embedded import write

        write(raw)

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """What there is to say about pairs of colours."""
        from neuralese.tasks.colors.variables import variables

        return variables(files, columns)

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each item as one pixel."""
        from neuralese.tasks.colors.pictures import pixels

        return pixels(files, codes)

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The items of states, and a colour for each phrase."""
        from neuralese.tasks.colors.pictures import described

        return described(files, pictured, named)
