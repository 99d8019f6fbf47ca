"""The ablation as a picture: one panel for each task and direction, the best criteria on dev at the top."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from neuralese.evaluate.paper import Papers
from neuralese.figures import save

SPEAKERS = ("R", "H")
SHOWN = 16  # number of criteria in a panel: the best on dev, and always the chosen ones and sole members of a family
LABELS = (
    "Labels: what is matched, how contexts are weighted, which divergence, and (x) the width of p(z|x) as a "
    "multiple of the channel's noise.\n“Algorithm 1 (as printed)” is product, forward, x1; “released code” is "
    "likelihood, reverse, with a Gaussian of variance 1/2. Bold: chosen on dev in its family."
)


def panel(cells: pd.DataFrame) -> pd.DataFrame:
    """The criteria shown for one task and direction: means over seeds, the best on dev last.

    Columns: title, chosen, judge (asks it), and dev, test, low and high.
    """
    keys = ["family", "criterion", "title", "chosen", "role"]
    means = cells.pivot_table(index=keys, columns="split", values=["value", "ci_low", "ci_high"]).reset_index()
    table = (
        means[keys]
        .droplevel(1, axis=1)
        .assign(
            dev=means["value"]["dev"],
            test=means["value"]["test"],
            low=means["ci_low"]["test"],
            high=means["ci_high"]["test"],
            judge=means["role"] == "asks the judge",
        )
    )
    table = table.sort_values("dev", ascending=False, kind="stable")
    alone = table["title"] != table["criterion"]
    table = table[table.index.isin(table.index[:SHOWN]) | table["chosen"] | alone]
    told = table["chosen"] | (table["title"] != table["criterion"])
    twice = ~told & (table["criterion"].isin(table.loc[told, "criterion"]) | table["criterion"].duplicated())
    return table[~twice].iloc[::-1].reset_index(drop=True)  # a member of two families appears under its title


def panels(ablation: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """Task, pair and rows of every panel."""
    found = []
    for task in dict.fromkeys(ablation["task"]):
        for speaker in SPEAKERS:
            cells = ablation[(ablation["task"] == task) & (ablation["speaker"] == speaker)]
            found.append((task, f"{speaker} → {cells['listener'].iloc[0]}", cells))
    return found


def draw_ablation(ablation: pd.DataFrame, papers: Papers, *paths: str | Path) -> None:
    """Draw dev and test accuracy, averaged over seeds, with the paper's figure where real data was used."""
    every = panels(ablation)
    rows = len(every) // 2
    figure, grid = plt.subplots(rows, 2, figsize=(13, 5.2 * rows), squeeze=False, layout="constrained")
    for axes, (task, pair, cells) in zip(grid.flat, every, strict=True):
        paper = papers.get(task)  # whose figures are only comparable with the same distractors
        figures = paper.belief if paper and paper.distractors == "play" else {}
        speaker, listener = pair.split(" → ")
        _draw_panel(axes, cells, figures.get((speaker, listener, "belief")))
        data = ", ".join(sorted(cells["data"].unique()))
        axes.set_title(f"{task}, {pair} (data: {data}; {_seeds(cells['seed'].nunique())})", fontsize=10)
    figure.supxlabel(LABELS, fontsize=8, x=0.01, ha="left")
    save(figure, *paths)


def _seeds(number: int) -> str:
    return "1 seed" if number == 1 else f"{number} seeds"


def _draw_panel(axes: plt.Axes, cells: pd.DataFrame, paper: float | None) -> None:
    shown = panel(cells)
    place = range(len(shown))
    reach = [shown["test"] - shown["low"], shown["high"] - shown["test"]]
    axes.errorbar(shown["test"], place, xerr=reach, fmt="o", ms=4, lw=1, color="#1d5fd1", label="test, 95 % interval")
    axes.plot(shown["dev"], place, "o", ms=4, mfc="none", color="#888888", label="dev")
    axes.set_yticks(list(place), shown["title"], fontsize=7)
    chosen = shown["chosen"] & (shown["title"] == shown["criterion"])  # among several
    for label, bold, judge in zip(axes.get_yticklabels(), chosen, shown["judge"], strict=True):
        label.set_fontweight("bold" if bold else "normal")
        label.set_color("#8a6d00" if judge else "black")
    axes.axvline(cells["chance"].iloc[0], color="#bbbbbb", lw=1)
    if paper is not None and "embedded" not in set(cells["data"]):
        axes.axvline(paper, color="#d62839", lw=1, ls="--", label=f"paper, belief: {paper:.2f}")
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.06), ncols=3, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
