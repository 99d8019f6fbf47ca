"""The ablation as a picture: one panel for each task and direction, the best criteria by dev on top."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from neuralese.evaluate.paper import BELIEF
from neuralese.report.figures import save

PAIRS = (("R", "H*"), ("H", "R"))
SHOWN = 18  # criteria in a panel: the best by dev, and always the chosen direct one and those with new messages


def panel(cells: pd.DataFrame) -> tuple[pd.DataFrame, set[str]]:
    """The criteria shown of one task and direction: means over seeds, the best by dev last, and which were chosen."""
    means = cells.pivot_table(index="criterion", columns="split", values=["accuracy", "ci_low", "ci_high"])
    means = means.sort_values(("accuracy", "dev"), ascending=False)
    kept = list(means.index[:SHOWN])
    kept += [name for name in cells.loc[cells["chosen_direct"], "criterion"].unique() if name not in kept]
    kept += [name for name in ("synthesis", "utterance") if name in means.index and name not in kept]
    return means.loc[kept[::-1]], set(cells.loc[cells["chosen"], "criterion"])


def draw_ablation(ablation: pd.DataFrame, *paths: str | Path) -> None:
    """Draw dev and test accuracy, averaged over seeds, with the paper's figure where real data was used."""
    tasks = list(dict.fromkeys(ablation["task"]))
    figure, grid = plt.subplots(len(tasks), 2, figsize=(13, 4.4 * len(tasks)), squeeze=False, layout="constrained")
    for row, task in enumerate(tasks):
        for axes, (speaker, listener) in zip(grid[row], PAIRS, strict=True):
            cells = ablation.query("task == @task and speaker == @speaker and listener == @listener")
            _draw_panel(axes, cells, BELIEF.get((task, speaker, listener, "belief")))
            data = ", ".join(sorted(cells["data"].unique()))
            axes.set_title(f"{task}, {speaker} → {listener} ({data}, {cells['seed'].nunique()} seeds)", fontsize=10)
    save(figure, *paths)


def _draw_panel(axes: plt.Axes, cells: pd.DataFrame, paper: float | None) -> None:
    means, chosen = panel(cells)
    test, place = means["accuracy"]["test"], range(len(means))
    reach = [test - means["ci_low"]["test"], means["ci_high"]["test"] - test]
    axes.errorbar(test, place, xerr=reach, fmt="o", ms=4, lw=1, color="#1d5fd1", label="test, 95 % interval")
    axes.plot(means["accuracy"]["dev"], place, "o", ms=4, mfc="none", color="#888888", label="dev")
    axes.set_yticks(list(place), means.index, fontsize=7)
    for label in axes.get_yticklabels():
        label.set_fontweight("bold" if label.get_text() in chosen else "normal")
    axes.axvline(0.5, color="#bbbbbb", lw=1)
    if paper is not None and "embedded" not in set(cells["data"]):
        axes.axvline(paper, color="#d62839", lw=1, ls="--", label=f"paper, belief: {paper:.2f}")
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.06), ncols=3, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
