"""The task of naming colours: its facts, and what colours look like."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from neuralese.config.models import Colors as Settings
from neuralese.config.models import TrainingConfig
from neuralese.data.data_sets import Archive, DataSet
from neuralese.tasks.task import FILES, Files, Paper, ReferenceTask, accuracies

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

XKCD = DataSet(
    title="XKCD colour survey, as prepared by McMahan & Stone (2015)",
    licence="CC0",
    archives=(
        Archive(
            file="xkcd",
            mirror="xkcd-munroecorpus.tar.xz",
            urls=(
                "https://github.com/hamdans-eth/colors/archive/5edc0e8778f40723508f27e835a583f96cf1bfff.tar.gz",
                "http://paul.rutgers.edu/~bcm84/rugstk_v1.0.tar.gz",  # the authors' own, which has no https
            ),
            used=r"munroecorpus/(corpusindex\.txt|train/[^/]+_train|(?:5dev|25test)/[^/]+\.test)$",
            largest=1 << 30,
            content_sha256="23de0cb432c5a77273d939336415ffb735f6f79c39d0ab9b5363bbed64d08013",
        ),
    ),
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
    neighbours = 400
    paper = Paper("1a", accuracies(1.00, 0.83, into_english=(0.50, 0.72, 0.86), into_neuralese=(0.50, 0.70, 0.73)))

    def embed(self, raw: Path) -> None:
        """Write a stand-in for the survey."""
        from neuralese.tasks.colors.embedded import write

        write(raw)

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """Lightness, chroma and hue of the target, and how much lighter it is than the other colour."""
        import numpy as np
        import pandas as pd

        lab = _lab(files)
        target, other = lab[columns["target"]], lab[columns["other"]]
        return pd.DataFrame(
            {
                "lightness": target[:, 0],
                "chroma": np.hypot(target[:, 1], target[:, 2]),
                "hue": np.degrees(np.arctan2(target[:, 2], target[:, 1])) % 360,
                "lighter than the other": target[:, 0] - other[:, 0],
            }
        )

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each item as one pixel, (1, 1, 3) in 0..1."""
        from neuralese.tasks.colors.data import lab_to_rgb

        order = sorted(codes)
        return dict(zip(order, lab_to_rgb(_lab(files)[order])[:, None, None], strict=True))

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The name and the colour of each item, and for each phrase the mean of the colours named with it."""
        import numpy as np

        from neuralese.storage.tables import read_table
        from neuralese.tasks.colors.data import COLORS, lab_to_rgb

        items = sorted({item for states in (pictured, named) for state in states for item in state})
        names = read_table(files["colors.parquet"], COLORS)["name"].take(items).to_pylist()
        lab, traces = _lab(files), read_table(files["traces.parquet"], "traces")
        said = traces["phrases"].combine_chunks()
        phrase = said.flatten().to_numpy().astype(np.int64)
        item = np.repeat(traces["item_id"].to_numpy(), said.value_lengths().to_numpy())
        size = read_table(files["inventory.parquet"], "inventory").num_rows
        counts = np.bincount(phrase, minlength=size)
        sums = np.stack([np.bincount(phrase, weights=part[item], minlength=size) for part in lab.T], axis=1)
        shades = lab_to_rgb(sums / np.maximum(counts, 1)[:, None])
        return {
            "items": {
                item: {"name": name, "color": _hex(rgb)}
                for item, name, rgb in zip(items, names, lab_to_rgb(lab[items]), strict=True)
            },
            "shades": [_hex(rgb) if count else None for rgb, count in zip(shades, counts, strict=True)],
        }


def _lab(files: Files) -> "np.ndarray":
    """L, a and b of every answer, (n, 3)."""
    import numpy as np

    from neuralese.storage.tables import read_table
    from neuralese.tasks.colors.data import COLORS

    return read_table(files["colors.parquet"], COLORS).select(["L", "a", "b"]).to_pandas().to_numpy(np.float64)


def _hex(rgb: "np.ndarray") -> str:
    """A colour in 0..1 as the page writes it."""
    from matplotlib.colors import to_hex

    return to_hex(tuple(rgb))
