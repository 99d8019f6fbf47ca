"""Example translations (the paper's Figures 2, 6 and 7): two items or states, and what the robot says of one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from neuralese.report.figures import save


def choose_examples(messages: pd.DataFrame, dictionary: pd.DataFrame, criterion: str, count: int) -> pd.DataFrame:
    """The first `count` test messages with their best translations.

    Columns: message_id, target, other (item ids), rank, phrase, score.
    """
    chosen = messages.loc[messages["split"] == "test", ["message_id", "target", "other"]].head(count)
    translations = dictionary.query("direction == 'R->H' and criterion == @criterion")
    translations = translations[["source_id", "rank", "target", "score"]].rename(columns={"target": "phrase"})
    return chosen.merge(translations, left_on="message_id", right_on="source_id").drop(columns="source_id")


def draw_examples(
    paths: Sequence[str | Path],
    examples: pd.DataFrame,
    picture: Callable[[int], np.ndarray],
    title: str,
    columns: int = 4,
    names: tuple[str, str] = ("target ★", "other"),
) -> None:
    """Draw each example as target, other item and ranked translations; `picture` shows an item as (h, w, 3)."""
    groups = list(examples.groupby("message_id", sort=False))
    rows = -(-len(groups) // columns)
    figure = plt.figure(figsize=(3.6 * columns, 1.6 * rows + 0.5), layout="constrained")
    figure.suptitle(title, fontsize=11)
    for cell, (_, group) in zip(figure.subfigures(rows, columns, squeeze=False).flat, groups, strict=False):
        left, right, words = cell.subplots(1, 3, width_ratios=(1, 1, 1.15))
        for axes, item, label in (
            (left, group["target"].iloc[0], names[0]),
            (right, group["other"].iloc[0], names[1]),
        ):
            pixels = picture(int(item))
            axes.imshow(
                pixels, aspect="auto" if pixels.shape[:2] == (1, 1) else "equal"
            )  # a plain colour fills its place
            axes.set_title(label, fontsize=8)
            axes.set_axis_off()
        words.set_axis_off()
        for line, row in enumerate(group.sort_values("rank").itertuples()):
            weight = "bold" if line == 0 else "normal"
            words.text(0, 0.98 - 0.2 * line, row.phrase, fontsize=9, weight=weight, va="top")
    save(figure, *paths)
