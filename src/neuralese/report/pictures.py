"""Example translations (the paper's Figures 2, 6 and 7): two items or states, and what the robot says about one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from neuralese.figures import save


def shown_states(examples: pd.DataFrame) -> list[str]:
    """The columns that number the states of each example: `target`, and one or more others."""
    return [name for name in examples if name == "target" or name.startswith("other")]


def choose_examples(messages: pd.DataFrame, dictionary: pd.DataFrame, criterion: str, count: int) -> pd.DataFrame:
    """The first `count` test messages, whose states are numbered, with their best translations.

    Columns: message_id, target, other (and further ones), rank, phrase, score.
    """
    chosen = messages.head(count)
    translations = dictionary.query("direction == 'R->H' and criterion == @criterion")
    translations = translations[["source_id", "rank", "target", "score"]].rename(columns={"target": "phrase"})
    return chosen.merge(translations, left_on="message_id", right_on="source_id").drop(columns="source_id")


def draw_examples(
    paths: Sequence[str | Path],
    examples: pd.DataFrame,
    pictures: Mapping[int, np.ndarray],
    title: str,
    names: tuple[str, str] = ("target ★", "other"),
    columns: int = 4,
) -> None:
    """Draw each example as target, others and ranked translations; `pictures` (h, w, 3) are of numbered states.

    `names` are those of the true state and of the others.
    """
    states = shown_states(examples)
    groups = list(examples.groupby("message_id", sort=False))
    rows = -(-len(groups) // columns)
    figure = plt.figure(figsize=(3.6 * columns, 1.6 * rows + 0.5), layout="constrained")
    figure.suptitle(title, fontsize=11)
    for cell, (_, group) in zip(figure.subfigures(rows, columns, squeeze=False).flat, groups, strict=False):
        *places, words = cell.subplots(1, len(states) + 1, width_ratios=[*(1 for _ in states), 1.15])
        for axes, state in zip(places, states, strict=True):
            pixels, label = pictures[int(group[state].iloc[0])], names[state != "target"]
            axes.imshow(
                pixels, aspect="auto" if pixels.shape[:2] == (1, 1) else "equal"
            )  # a plain colour fills its cell
            axes.set_title(label, fontsize=8)
            axes.set_axis_off()
        words.set_axis_off()
        for line, row in enumerate(group.sort_values("rank").itertuples()):
            weight = "bold" if line == 0 else "normal"
            words.text(0, 0.98 - 0.2 * line, row.phrase, fontsize=9, weight=weight, va="top")
    save(figure, *paths)
