"""A sweep as a picture: for each task and swept key, how well messages are translated, and their properties."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from neuralese.figures import save

COLORS = {"R → R": "#555555", "R → R*": "#555555", "R → H*": "#1d5fd1", "H → R": "#d62839", "H → R*": "#d62839"}


def draw_sweep(
    path: str | Path, belief: pd.DataFrame, protocol: pd.DataFrame, swept: list[str], criterion: str
) -> None:
    """Draw tasks as rows and two panels for each key of `swept`: accuracy by `criterion`, and two measures."""
    heard = belief[belief["criterion"].isin(["none", criterion])]
    heard = heard.assign(line=heard["speaker"] + " → " + heard["listener"])
    play = heard["distractors"] == "play"
    own = play | ~play.groupby([heard[key] for key in ("task", *swept)]).transform("any")  # the game's own distractors
    heard = heard[heard["line"].isin(COLORS) & (heard["unit"] != "phrase") & own]
    tasks = list(dict.fromkeys(belief["task"]))
    size = (8.4 * len(swept), 3.2 * len(tasks))
    figure, grid = plt.subplots(len(tasks), 2 * len(swept), figsize=size, squeeze=False, layout="constrained")
    for row, task in zip(grid, tasks, strict=True):
        for key, left, right in zip(swept, row[::2], row[1::2], strict=True):
            cells = heard[heard["task"] == task]
            for line in dict.fromkeys(cells["line"]):
                _draw_line(left, cells[cells["line"] == line], key, "value", line, COLORS[line])
            left.set_title(f"{task} (data: {', '.join(sorted(cells['data'].unique()))})", fontsize=10)
            left.set_ylabel(f"accuracy ({criterion})", fontsize=9)
            _draw_measures(right, protocol[protocol["task"] == task], key)
    save(figure, path)


def _draw_line(axes: plt.Axes, cells: pd.DataFrame, key: str, column: str, label: str, color: str) -> None:
    """Means at the values of `key`, in their order, and every agent as a dot."""
    places = {value: place for place, value in enumerate(sorted(cells[key].unique()))}
    means = cells.groupby(key)[column].mean()
    axes.plot([places[value] for value in means.index], means, "-", color=color, label=label)
    axes.plot(cells[key].map(places), cells[column], "o", ms=3, alpha=0.5, color=color)
    axes.set_xticks(list(places.values()), [str(value) for value in places])
    axes.set_xlabel(key, fontsize=9)
    axes.legend(fontsize=7, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_measures(axes: plt.Axes, protocol: pd.DataFrame, key: str) -> None:
    """Bits about the variable that messages say most about, and how many directions they use."""
    agent = [*dict.fromkeys(column for column in protocol if column not in ("measure", "variable", "value"))]
    for measure, label, color in (
        ("information", "mutual information (bits)", "#2a9d4b"),
        ("effective_dimension", "effective dimension", "#8a4fbf"),
    ):
        most = protocol[protocol["measure"] == measure].groupby(agent, as_index=False)["value"].max()
        _draw_line(axes, most, key, "value", label, color)
