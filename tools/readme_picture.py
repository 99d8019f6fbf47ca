"""The picture of README.md: colours that a robot was shown, what it said about one of them, and the English for it.

    python tools/readme_picture.py results docs/messages.png

It shows the first test message of each of the most used translations, by the belief criterion.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from neuralese import tasks
from neuralese.figures import save
from neuralese.storage.tables import matrix, read_table

TASK, CRITERION = "colors", "belief"
ROWS = 8  # number of rows in which a message's numbers are drawn


def chosen(folder: Path, count: int) -> pd.DataFrame:
    """The first test message of each of the `count` most used words."""
    messages = read_table(folder / "messages.parquet", "messages")
    table = messages.drop_columns(["message"]).to_pandas().assign(message=list(matrix(messages["message"])))
    dictionary = read_table(folder / "dictionary.parquet", "dictionary").to_pandas()
    best = dictionary.query("direction == 'R->H' and criterion == @CRITERION and rank == 1")
    said = table.query("split == 'test'").merge(
        best, left_on="message_id", right_on="source_id", suffixes=("", "_word")
    )
    words = said["target_word"].value_counts().index[:count]
    return said[said["target_word"].isin(words)].groupby("target_word").head(1)


def main() -> None:
    """Read the command line and draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=6)
    given = parser.parse_args()
    folder = given.results / TASK
    rows = chosen(folder / f"seed{given.seed}", given.count)
    files = {path.name: path for path in folder.iterdir()}
    pixels = tasks.get(TASK).pixels(files, set(rows["target"]) | set(rows["other"]))
    figure, places = plt.subplots(3, len(rows), figsize=(1.55 * len(rows), 2.5), height_ratios=[1, 1, 0.42])
    for (pair, vector, word), row in zip(places.T, rows.itertuples(), strict=True):
        pair.imshow(np.concatenate([pixels[row.target], pixels[row.other]], axis=1), aspect="auto")
        pair.add_patch(plt.Rectangle((-0.46, -0.46), 0.92, 0.92, fill=False, linewidth=3, edgecolor="black"))
        vector.imshow(row.message.reshape(ROWS, -1), cmap="PuOr", vmin=-1, vmax=1, aspect="auto")
        word.text(0.5, 0.45, f"“{row.target_word}”", ha="center", va="center", fontsize=14)
        for axes in (pair, vector, word):
            axes.set_axis_off()
    for axes, text in zip(places[:, 0], ("R sees", "R says", "in English"), strict=True):
        axes.text(-0.12, 0.5, text, transform=axes.transAxes, ha="right", va="center", fontsize=11)
    figure.subplots_adjust(left=0.11, right=0.995, top=0.99, bottom=0.0, wspace=0.16, hspace=0.14)
    save(figure, given.picture)


if __name__ == "__main__":
    main()
