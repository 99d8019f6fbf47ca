"""The two propositions as a picture."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from neuralese.figures import save


def draw_theory(lost: pd.DataFrame, recovered: pd.DataFrame, *paths: str | Path) -> None:
    """Draw reward lost against its bound (Proposition 1) and recovery of a hidden strategy (Proposition 2)."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    left.plot(lost["bound"], lost["lost"], ".", ms=2, alpha=0.3, color="#1d5fd1", rasterized=True)
    limit = np.linspace(0, min(2.0, lost["bound"].max()), 100)
    left.plot(limit, limit, color="#d62839", lw=1, label="the bound")
    left.set(xlabel="√(2 D)", ylabel="reward lost by translation", xlim=(0, limit[-1]), ylim=(-0.2, 1))
    games = lost["game"].nunique()
    left.set_title(f"Proposition 1: {len(lost):,} messages of {games:,} random games", fontsize=10)
    for name, rows in recovered.groupby("criterion"):
        right.plot(rows["rarity"], rows["recovered"], "o-", ms=4, label=name)
    right.set(
        xlabel="share of humans with the robot's strategy", ylabel="messages translated into it", ylim=(-0.05, 1.05)
    )
    right.set_title("Proposition 2: a strategy hidden among others", fontsize=10)
    for axes in (left, right):
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, *paths)
