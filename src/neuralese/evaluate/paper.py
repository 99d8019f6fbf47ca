"""The figures of Andreas, Dragan & Klein (2017), and tables that set ours beside them."""

import html
import math
from pathlib import Path

import pandas as pd
from scipy.special import ndtr, stdtrit

# (task, speaker, listener, criterion) -> accuracy in the belief evaluation
BELIEF = {
    ("colors", "R", "R", "none"): 1.00,
    ("colors", "H", "H*", "none"): 0.83,
    ("colors", "R", "H*", "random"): 0.50,
    ("colors", "R", "H*", "direct"): 0.72,
    ("colors", "R", "H*", "belief"): 0.86,
    ("colors", "H", "R", "random"): 0.50,
    ("colors", "H", "R", "direct"): 0.70,
    ("colors", "H", "R", "belief"): 0.73,
    ("birds", "R", "R", "none"): 0.95,
    ("birds", "H", "H*", "none"): 0.77,
    ("birds", "R", "H*", "random"): 0.50,
    ("birds", "R", "H*", "direct"): 0.57,
    ("birds", "R", "H*", "belief"): 0.75,
    ("birds", "H", "R", "random"): 0.50,
    ("birds", "H", "R", "direct"): 0.55,
    ("birds", "H", "R", "belief"): 0.60,
    ("driving", "R", "R", "none"): 0.85,
    ("driving", "H", "H*", "none"): 0.77,
    ("driving", "R", "H*", "random"): 0.50,
    ("driving", "R", "H*", "direct"): 0.45,
    ("driving", "R", "H*", "belief"): 0.57,
    ("driving", "H", "R", "random"): 0.50,
    ("driving", "H", "R", "direct"): 0.45,
    ("driving", "H", "R", "belief"): 0.61,
}
TABLE = {"colors": "1a", "birds": "1b", "driving": "2"}  # where in the paper a task's figures are
# (pair, criterion) -> reward and completion in the behaviour evaluation, Table 3
BEHAVIOR = {
    ("R/R", "none"): (1.93, 0.71),
    ("H/H", "none"): (None, 0.77),
    ("R/H", "random"): (1.35, 0.64),
    ("R/H", "direct"): (1.49, 0.67),
    ("R/H", "belief"): (1.54, 0.67),
}


KEYS = ["table", "task", "pair", "criterion", "measure", "data"]


def compare(belief: pd.DataFrame, behavior: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row for each cell of the paper's tables, and for each further criterion, ours beside the paper's.

    Seeds are averaged (see `over_seeds`). Results on embedded data are never set beside the paper.
    """
    cells = pd.concat([_belief_cells(belief), *([] if behavior is None else _behavior_cells(behavior))])
    rows = [dict(zip(KEYS, key, strict=True)) | over_seeds(cell) for key, cell in cells.groupby(KEYS, sort=False)]
    table = pd.DataFrame(rows).astype({"paper": "Float64"})
    table.loc[table["data"] == "embedded", "paper"] = pd.NA
    table["difference"] = table["ours"] - table["paper"]
    return table


def read_comparison(path: str | Path) -> pd.DataFrame:
    """The comparison as it was written to `comparison.csv`."""
    return pd.read_csv(path, dtype={"table": str})


def over_seeds(cell: pd.DataFrame) -> dict:
    """One cell, a row for each seed, as one: the mean, its interval, and the gain over direct with its p value.

    The interval adds in squares the spread between seeds (Student's t) and the mean interval over items; as seeds share
    the human items, the latter does not shrink with their number. So it is with the error of the gain.
    """
    seeds = cell["seed"].nunique()
    ours = cell["ours"].mean()
    low, high = ours - cell["ci_low"].mean(), cell["ci_high"].mean() - ours
    between = cell["ours"].std() / seeds**0.5 * stdtrit(seeds - 1, 0.975) if seeds > 1 else 0.0
    merged = {"ours": ours, "ci_low": ours - math.hypot(low, between), "ci_high": ours + math.hypot(high, between)}
    merged |= {"seeds": seeds, "n": cell["n"].sum(), "paper": cell["paper"].iloc[0], "gain": float("nan")}
    merged["p_value"] = float("nan")
    if "gain" in cell and cell["gain"].notna().all():
        spread = cell["gain"].std() / seeds**0.5 if seeds > 1 else 0.0
        error = math.hypot((cell["gain_error"] ** 2).mean() ** 0.5, spread)
        merged["gain"] = cell["gain"].mean()
        merged["p_value"] = 2 * ndtr(-abs(merged["gain"]) / error) if error else float(merged["gain"] == 0)
    return merged


def _belief_cells(belief: pd.DataFrame) -> pd.DataFrame:
    cells = belief[["task", "speaker", "listener", "criterion"]].itertuples(index=False, name=None)
    return belief.rename(columns={"accuracy": "ours"}).assign(
        table=belief["task"].map(TABLE),
        pair=belief["speaker"] + " → " + belief["listener"],
        measure="accuracy",
        paper=pd.array([BELIEF.get(cell) for cell in cells], dtype="Float64"),
    )


def _behavior_cells(behavior: pd.DataFrame) -> list[pd.DataFrame]:
    parts = []
    for place, measure in enumerate(("reward", "completion")):
        cells = zip(behavior["pair"], behavior["criterion"], strict=True)
        paper = [BEHAVIOR.get(cell, (None, None))[place] for cell in cells]
        names = {measure: "ours", f"{measure}_ci_low": "ci_low", f"{measure}_ci_high": "ci_high"}
        part = behavior[["pair", "criterion", "seed", "n", "data", *names]].rename(columns=names)
        parts.append(part.assign(table="3", task="driving", measure=measure, paper=pd.array(paper, dtype="Float64")))
    return parts


HEAD = ["task", "pair", "criterion", "ours [95% interval]", "paper", "difference", "over direct", "seeds", "n", "data"]
TITLES = {
    "accuracy": "Belief evaluation: how often a listener guesses the speaker's state (chance 0.50)",
    "reward": "Behaviour evaluation: reward of the driving game",
    "completion": "Behaviour evaluation: share of driving games in which both cars arrive",
}
EMBEDDED_NOTE = "Rows on embedded data are made from a generated stand-in and are not comparable with the paper."


def _row(row: pd.Series, dash: str) -> list[str]:
    measured = f"{row.ours:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]"
    paper = dash if pd.isna(row.paper) else f"{row.paper:.2f}"
    difference = dash if pd.isna(row.difference) else f"{row.difference:+.3f}"
    gain = dash if pd.isna(row.gain) else f"{row.gain:+.3f} (p {_p_value(row.p_value)})"
    return [row.task, row.pair, row.criterion, measured, paper, difference, gain, str(row.seeds), str(row.n), row.data]


def to_rows(table: pd.DataFrame, dash: str = "") -> list[list[str]]:
    """The comparison as cells under `HEAD`."""
    return [_row(row, dash) for _, row in table.iterrows()]


def _p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def to_markdown(table: pd.DataFrame) -> str:
    """The comparison as a Markdown page."""
    lines = []
    for measure, part in table.groupby("measure", sort=False):
        lines += [f"# {TITLES[measure]}", "", "| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
        lines += ["| " + " | ".join(cells) + " |" for cells in to_rows(part)]
        lines.append("")
    if (table["data"] == "embedded").any():
        lines += [EMBEDDED_NOTE, ""]
    return "\n".join(lines[:-1]) + "\n"


def to_latex(table: pd.DataFrame) -> str:
    """The comparison as LaTeX tables."""
    lines = []
    for measure, part in table.groupby("measure", sort=False):
        head = " & ".join(HEAD).replace("%", r"\%")
        lines += [f"% {TITLES[measure]}", r"\begin{tabular}{llllrrlrrl}", r"\hline", head + r" \\", r"\hline"]
        for cells in to_rows(part, "---"):
            cells[1] = cells[1].replace("→", r"$\to$").replace("*", "$^*$")
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\hline", r"\end{tabular}", ""]
    if (table["data"] == "embedded").any():
        lines.append(f"% {EMBEDDED_NOTE}")
    return "\n".join(lines).rstrip() + "\n"


def to_html(table: pd.DataFrame) -> str:
    """The comparison as an HTML page of plain tables."""
    style = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem}td,th{padding:.2rem .8rem .2rem 0;text-align:left}"
    lines = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8"><title>Comparison with the paper</title>']
    lines.append(f"<style>{style}</style></head><body>")
    for measure, part in table.groupby("measure", sort=False):
        rows = [HEAD, *(_row(row, "") for _, row in part.iterrows())]
        lines += [f"<h2>{html.escape(TITLES[measure])}</h2>", "<table>"]
        for number, cells in enumerate(rows):
            tag = "td" if number else "th"
            lines.append("<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>")
        lines.append("</table>")
    if (table["data"] == "embedded").any():
        lines.append(f"<p>{html.escape(EMBEDDED_NOTE)}</p>")
    return "\n".join([*lines, "</body></html>"]) + "\n"
