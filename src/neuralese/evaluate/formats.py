"""The comparison with the paper as Markdown, LaTeX and HTML."""

import html
import re
from collections.abc import Callable

import pandas as pd

from neuralese.evaluate.comparison import ONE_SEED, SECTIONS

HEAD = [
    "task",
    "pair",
    "criterion",
    "ours [95% interval]",
    "paper",
    "difference",
    "over baseline",
    "over control",
    "over silence",
    "seeds",
    "n (messages, games per seed)",
    "data",
]
TITLES = {
    "accuracy": "Belief evaluation: how often a listener guesses the speaker's state",
    "reward": "Behaviour evaluation: reward per game",
    "completion": "Behaviour evaluation: share of games completed",
}
EMBEDDED_NOTE = "Rows on embedded data come from a generated stand-in and are not comparable with the paper."
TESTS_NOTE = (
    "p values are from Student's t test over seeds, paired by seed; Holm's correction covers the main claims, that our "
    "criterion beats the baseline, one for each task and direction."
)


def _row(row: pd.Series, dash: str) -> list[str]:
    measured = f"{row.ours:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]"
    paper = dash if pd.isna(row.paper) else f"{row.paper:.2f}"
    difference = dash if pd.isna(row.difference) else f"{row.difference:+.3f}"
    gains = [
        gain_text(row.gain, row.p_value, row.p_holm) or dash,
        gain_text(row.gain_control, row.p_value_control) or dash,
        gain_text(row.gain_silence, row.p_value_silence) or dash,
    ]
    counts = f"{row.n} ({row.distinct}, {row.games})"
    return [row.task, row.pair, row.title, measured, paper, difference, *gains, str(row.seeds), counts, row.data]


def gain_text(gain: float, p_value: float, p_holm: float = float("nan")) -> str:
    """A gain, its p value over seeds if there are several, and that after Holm's correction; empty without a gain."""
    if pd.isna(gain):
        return ""
    tests = [] if pd.isna(p_value) else [f"p {p_text(p_value)}"]
    tests += [] if pd.isna(p_holm) else [f"Holm {p_text(p_holm)}"]
    return f"{gain:+.3f}" + (f" ({', '.join(tests)})" if tests else "")


def p_text(value: float) -> str:
    """A p value to three decimals."""
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def cells_of(part: pd.DataFrame, dash: str = "") -> tuple[list[str], list[list[str]]]:
    """A part of the comparison as a head and rows of cells; empty columns are left out."""
    rows = [_row(row, dash) for _, row in part.iterrows()]
    used = [place for place in range(len(HEAD)) if any(row[place] != dash for row in rows)]
    return [HEAD[place] for place in used], [[row[place] for place in used] for row in rows]


def title_of(measure: str, rows: pd.DataFrame) -> str:
    """The title of a measure, with its chance level."""
    chances = " or ".join(f"{chance:.2f}" for chance in sorted(rows["chance"].dropna().unique(), reverse=True))
    return f"{TITLES[measure]} (chance {chances})" if chances else TITLES[measure]


def parts_of(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The comparison measure by measure and section by section, each with its title; the main section first."""
    parts = []
    for measure, rows in table.groupby("measure", sort=False):
        for section in ("", *SECTIONS):
            part = rows[rows["section"] == section]
            if len(part):
                parts.append((title_of(measure, part) + (f". {SECTIONS[section]}" if section else ""), part))
    return parts


def notes(table: pd.DataFrame) -> list[str]:
    """The notes below the tables."""
    found = [TESTS_NOTE if (table["seeds"] > 1).any() else ONE_SEED]
    return found + ([EMBEDDED_NOTE] if (table["data"] == "embedded").any() else [])


IN_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "→": r"$\to$",
} | {each: f"\\{each}" for each in "&%$#_{}"}


def latex_text(text: str) -> str:
    """Text, such as a user's name for a criterion, escaped for LaTeX."""
    return "".join(IN_LATEX.get(each, each if each.isprintable() else " ") for each in text)


def markdown_text(text: str) -> str:
    """Text escaped for a Markdown cell."""
    text = "".join(each if each.isprintable() else " " for each in text)
    return re.sub(r"([\\`*|<>\[\]$])", r"\\\1", text)


def _named(head: list[str], cells: list[str], text: Callable[[str], str]) -> list[str]:
    """Cells, with `text` applied to those that hold names chosen by a user."""
    return [text(cell) if name in ("task", "criterion") else cell for name, cell in zip(head, cells, strict=True)]


def to_markdown(table: pd.DataFrame) -> str:
    """The comparison as a Markdown page."""
    lines = []
    for title, part in parts_of(table):
        head, rows = cells_of(part)
        lines += [f"# {title}", "", "| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        lines += ["| " + " | ".join(_named(head, cells, markdown_text)) + " |" for cells in rows]
        lines.append("")
    for note in notes(table):
        lines += [note, ""]
    return "\n".join(lines[:-1]) + "\n"


def to_latex(table: pd.DataFrame) -> str:
    """The comparison as LaTeX tables."""
    lines = []
    for title, part in parts_of(table):
        head, rows = cells_of(part, "---")
        lines += [f"% {title}", rf"\begin{{tabular}}{{{'l' * len(head)}}}", r"\hline"]
        lines += [" & ".join(head).replace("%", r"\%") + r" \\", r"\hline"]
        for cells in rows:
            cells = [latex_text(cell) for cell in cells]
            cells[1] = cells[1].replace("*", "$^*$")
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\hline", r"\end{tabular}", ""]
    lines += [f"% {note}" for note in notes(table)]
    return "\n".join(lines).rstrip() + "\n"


def to_html(table: pd.DataFrame) -> str:
    """The comparison as an HTML page of plain tables."""
    style = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem}td,th{padding:.2rem .8rem .2rem 0;text-align:left}"
    lines = ["<!doctype html>", '<html lang="en"><head><meta charset="utf-8"><title>Comparison with the paper</title>']
    lines.append(f"<style>{style}</style></head><body>")
    for title, part in parts_of(table):
        lines += [f"<h2>{html.escape(title)}</h2>", "<table>"]
        head, rows = cells_of(part)
        for number, cells in enumerate([head, *rows]):
            tag = "td" if number else "th"
            lines.append("<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>")
        lines.append("</table>")
    lines += [f"<p>{html.escape(note)}</p>" for note in notes(table)]
    return "\n".join([*lines, "</body></html>"]) + "\n"
