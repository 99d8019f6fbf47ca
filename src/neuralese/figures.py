"""Pictures drawn by matplotlib: example translations, and saving any figure as the same bytes each time."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure, FigureBase, SubFigure

from neuralese.storage.files import atomic

matplotlib.rcParams["text.parse_math"] = False  # a phrase may contain a $ without being a formula
DIGITS = 5  # of a position in a figure, as a fraction of its size: finer than a pixel


def choose_examples(messages: pd.DataFrame, dictionary: pd.DataFrame, criterion: str, count: int) -> pd.DataFrame:
    """The first `count` test messages, whose states are numbered, with their best translations.

    Columns: message_id, target, other (and further ones), rank, phrase, score.
    """
    translations = dictionary.query("direction == 'R->H' and criterion == @criterion")
    translations = translations[["source_id", "rank", "target", "score"]].rename(columns={"target": "phrase"})
    chosen = messages.head(count).merge(translations, left_on="message_id", right_on="source_id")
    return chosen.drop(columns="source_id")


def shown_states(examples: pd.DataFrame) -> list[str]:
    """The columns that number the states of each example: `target`, and one or more others."""
    return [name for name in examples if name == "target" or name.startswith("other")]


def draw_examples(
    paths: Sequence[str | Path],
    examples: pd.DataFrame,
    pictures: Mapping[int, np.ndarray],
    title: str,
    names: tuple[str, str] = ("target ★", "other"),
    columns: int = 4,
) -> None:
    """Draw each example as target, others and ranked translations (the paper's Figures 2, 6 and 7).

    `pictures` (h, w, 3) are those of numbered states, and `names` what the true state and others are called.
    """
    states = shown_states(examples)
    groups = list(examples.groupby("message_id", sort=False))
    rows = -(-len(groups) // columns)
    figure = plt.figure(figsize=(3.6 * columns, 1.6 * rows + 0.5), layout="constrained")
    figure.suptitle(title, fontsize=11)
    for cell, (_, group) in zip(figure.subfigures(rows, columns, squeeze=False).flat, groups, strict=False):
        *places, words = cell.subplots(1, len(states) + 1, width_ratios=[*(1 for _ in states), 1.15])
        for axes, state in zip(places, states, strict=True):
            pixels = pictures[int(group[state].iloc[0])]
            plain = pixels.shape[:2] == (1, 1)  # a plain colour fills its cell
            axes.imshow(pixels, aspect="auto" if plain else "equal")
            axes.set_title(names[state != "target"], fontsize=8)
            axes.set_axis_off()
        words.set_axis_off()
        for line, row in enumerate(group.sort_values("rank").itertuples()):
            weight = "normal" if line else "bold"
            words.text(0, 0.98 - 0.2 * line, row.phrase, fontsize=9, weight=weight, va="top")
    save(figure, *paths)


def save(figure: Figure, *paths: str | Path, dpi: int = 110) -> None:
    """Write `figure` to each of `paths`, in the format of its suffix (png or svg), and close it."""
    figure.set_dpi(dpi)
    _settle(figure)
    for path in paths:
        kind = Path(path).suffix[1:]
        undated = {"Date": None} if kind == "svg" else {}
        with matplotlib.rc_context({"svg.hashsalt": "neuralese"}), atomic(path) as temporary:
            figure.savefig(temporary, dpi=dpi, format=kind, metadata=undated)
    plt.close(figure)


def _settle(figure: Figure) -> None:
    """Lay a figure out once, and round the positions of its parts: the layout's last digits differ from run to run."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for part in _parts(figure):
        box = part.bbox_relative
        box.p0, box.p1 = _rounded(box.p0), _rounded(box.p1)
    for axes in figure.axes:
        axes.set_position(_rounded(axes.get_position(original=True).bounds).tolist())
    for text in figure.texts:
        text.set_position(_rounded(text.get_position()).tolist())


def _parts(figure: FigureBase) -> Iterator[SubFigure]:
    for part in figure.subfigs:
        yield part
        yield from _parts(part)


def _rounded(place: object) -> np.ndarray:
    return np.round(np.asarray(place, dtype=float), DIGITS) + 0.0  # turns -0 into 0
