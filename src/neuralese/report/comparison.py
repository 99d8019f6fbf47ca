"""The paper's tables as pictures: our figures with their intervals, and the paper's if data is real."""

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from neuralese.evaluate.comparison import EASIER
from neuralese.figures import save

OURS, PAPER = "#1d5fd1", "#d62839"


def by_pair(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the comparison with those of one pair together, pairs in order of appearance."""
    order = {pair: place for place, pair in enumerate(dict.fromkeys(rows["pair"]))}
    return rows.sort_values("pair", key=lambda pairs: pairs.map(order), kind="stable")


def charted(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of one table that are drawn: the main ones, and those with the paper's easier distractors."""
    easier = (rows["section"] == EASIER) & (rows["unit"] != "phrase") & (rows["role"] != "upper bound")
    measure = rows["measure"].where(~easier, rows["measure"] + ", the paper's easier distractors")
    return rows.assign(measure=measure)[(rows["section"] == "") | easier]


def heading(row: pd.Series) -> str:
    """The title of a table: its number in the paper, if it has one."""
    named = str(row["table"]).startswith(str(row["task"]))
    return str(row["table"]) if named else f"Table {row['table']}: {row['task']}"


def draw_comparison(rows: pd.DataFrame, *paths: str | Path) -> None:
    """Draw one table of the comparison, a panel for each measure, and one for the paper's easier distractors."""
    rows = by_pair(charted(rows))
    measures = list(dict.fromkeys(rows["measure"]))
    height = 0.9 + 0.32 * (rows["measure"] == measures[0]).sum()
    figure, grid = plt.subplots(1, len(measures), figsize=(6.4 * len(measures), height), squeeze=False)
    figure.set_layout_engine("constrained")
    first = rows.iloc[0]
    seeds = f"{first['seeds']} seeds" if first["seeds"] > 1 else "one seed: intervals are over items only"
    figure.suptitle(f"{heading(first)} (data: {first['data']}; {seeds})", fontsize=10)
    for axes, measure in zip(grid.flat, measures, strict=True):
        _draw_panel(axes, rows[rows["measure"] == measure].iloc[::-1], measure)
    save(figure, *paths)


def _draw_panel(axes: plt.Axes, rows: pd.DataFrame, measure: str) -> None:
    place, ours = range(len(rows)), rows["value"]
    reach = [ours - rows["ci_low"], rows["ci_high"] - ours]
    axes.errorbar(ours, place, xerr=reach, fmt="o", ms=5, lw=1.5, color=OURS, label="ours, 95 % interval")
    told = rows["paper"].notna().to_numpy()
    if told.any():
        at = [number for number in place if told[number]]
        axes.plot(rows["paper"][told].astype(float), at, "D", ms=5, mfc="none", color=PAPER, label="paper")
    names = rows["pair"] + rows["title"].where(rows["criterion"] != "none", "").map(lambda name: name and f", {name}")
    axes.set_yticks(list(place), names, fontsize=8)
    if rows["chance"].notna().any():
        axes.axvline(rows["chance"].iloc[0], color="#bbbbbb", lw=1, zorder=0)
    axes.set_xlabel(measure)
    axes.legend(fontsize=8, frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)
    axes.spines[["top", "right"]].set_visible(False)
