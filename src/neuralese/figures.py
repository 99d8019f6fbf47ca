"""Saving figures so that the same figure is the same bytes."""

from collections.abc import Iterator
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure, FigureBase, SubFigure

from neuralese.storage.files import atomic

matplotlib.rcParams["text.parse_math"] = False  # a phrase may contain a $ without being a formula
DIGITS = 5  # of a position in a figure, as a fraction of its size: finer than a pixel


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
