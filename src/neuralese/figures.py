"""Saving figures so that the same figure is the same bytes."""

from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from neuralese.storage.files import atomic


def save(figure: Figure, *paths: str | Path, dpi: int = 110) -> None:
    """Write `figure` to each of `paths`, as what its ending says (png or svg), and close it."""
    for path in paths:
        kind = Path(path).suffix[1:]
        undated = {"Date": None} if kind == "svg" else {}
        with matplotlib.rc_context({"svg.hashsalt": "neuralese"}), atomic(path) as temporary:
            figure.savefig(temporary, dpi=dpi, format=kind, metadata=undated)
    plt.close(figure)
