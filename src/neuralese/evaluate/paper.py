"""The figures of Andreas, Dragan & Klein (2017), and tables that set ours beside them."""

import pandas as pd

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
}
TABLE = {"colors": "1a", "birds": "1b"}  # where in the paper a task's figures are


def compare(belief: pd.DataFrame) -> pd.DataFrame:
    """One row for each cell of the paper's tables, and for each further criterion, ours beside the paper's.

    Seeds are averaged; the interval is the mean of theirs. Results on embedded data are never set beside the paper.
    """
    cells = belief.groupby(["task", "speaker", "listener", "criterion", "data"], sort=False)
    table = cells.agg(
        ours=("accuracy", "mean"),
        ci_low=("ci_low", "mean"),
        ci_high=("ci_high", "mean"),
        seeds=("seed", "nunique"),
        n=("n", "sum"),
    ).reset_index()
    paper = [
        BELIEF.get((row.task, row.speaker, row.listener, row.criterion)) if row.data != "embedded" else None
        for row in table.itertuples()
    ]
    table.insert(0, "table", table["task"].map(TABLE))
    table["paper"] = pd.array(paper, dtype="Float64")
    table["difference"] = table["ours"] - table["paper"]
    return table


def _cell(row: pd.Series, dash: str) -> list[str]:
    measured = f"{row.ours:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]"
    paper = dash if pd.isna(row.paper) else f"{row.paper:.2f}"
    difference = dash if pd.isna(row.difference) else f"{row.difference:+.3f}"
    return [row.task, row.criterion, measured, paper, difference, str(row.seeds), str(row.n), row.data]


HEAD = ["task", "pair", "criterion", "ours [95% interval]", "paper", "difference", "seeds", "items", "data"]
TITLE = "Belief evaluation: how often a listener guesses the speaker's state (chance 0.50)"
EMBEDDED_NOTE = "Rows on embedded data are made from a generated stand-in and are not comparable with the paper."


def to_markdown(table: pd.DataFrame) -> str:
    """The comparison as a Markdown page."""
    lines = [f"# {TITLE}", "", "| " + " | ".join(HEAD) + " |", "|" + " --- |" * len(HEAD)]
    for _, row in table.iterrows():
        cells = _cell(row, "")
        lines.append("| " + " | ".join([cells[0], f"{row.speaker} → {row.listener}", *cells[1:]]) + " |")
    if (table["data"] == "embedded").any():
        lines += ["", EMBEDDED_NOTE]
    return "\n".join(lines) + "\n"


def to_latex(table: pd.DataFrame) -> str:
    """The comparison as a LaTeX table."""
    lines = [r"\begin{tabular}{llllrrrrl}", r"\hline", " & ".join(HEAD).replace("%", r"\%") + r" \\", r"\hline"]
    for _, row in table.iterrows():
        cells = _cell(row, "---")
        pair = rf"{row.speaker} $\to$ {row.listener.replace('*', r'$^*$')}"
        lines.append(" & ".join([cells[0], pair, *cells[1:]]) + r" \\")
    lines += [r"\hline", r"\end{tabular}"]
    if (table["data"] == "embedded").any():
        lines.append(f"% {EMBEDDED_NOTE}")
    return "\n".join(lines) + "\n"
