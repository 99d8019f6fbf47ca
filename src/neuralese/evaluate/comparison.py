"""Our results beside those of Andreas, Dragan & Klein (2017): every cell of their tables, and further ones, over seeds.

A row belongs to a section: the main one (empty), or one of `SECTIONS`. Tests ask whether a gain would be found with
other agents on these items: Student's t over seeds, paired by seed. The main claims, that our criterion beats the best
baseline, one for each task, direction and judge, are corrected for multiple testing by Holm's method. A task that is
not in the paper has no figures, but the same tables; results on embedded data are never compared with the paper.
"""

import html
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from neuralese.data.data_sets import ATTRIBUTES
from neuralese.evaluate.outcomes import over_seeds
from neuralese.evaluate.statistics import holm

Papers = Mapping[str, Any]  # the paper's results by task, each a `tasks.task.Paper` or None

PHRASE, EASIER, JUDGE, BOUND = "phrase", "easier", "judge", "bound"
NEIGHBOURS, COMPARATIVE = JUDGES = "neighbours", "comparative"  # judges of English besides H*
SECTIONS = {
    NEIGHBOURS: "Judged by what people said of each candidate, or of its nearest neighbours",
    COMPARATIVE: 'Judged as comparisons, in which "red" means the redder one',
    PHRASE: "One phrase of a human's utterance instead of the whole",
    EASIER: "Distractors drawn as in the released code: the paper's protocol, which is easier",
    BOUND: "Sees what the listener sees: an upper bound, not to be compared with the others",
    JUDGE: "Made by asking the listener that judges: not to be compared with the others",
}
TEXTS = (
    *("table", "task", "section", "pair", "judge", "unit", "distractors", "criterion", "title", "role", "measure"),
    "data",
)
GAINS = ("baseline", "control", "silence")  # roles of the conditions over which gains are shown
COLUMNS = (
    *TEXTS,
    *("value", "ci_low", "ci_high", "seeds", "n", "distinct", "groups", "chance", "paper", "difference"),
    *(name for role in GAINS for name in (f"over_{role}", f"over_{role}_p_seeds")),
    *("p_holm", "dev", "ties", "truth", "said"),
)
PAPER_CRITERIA = {
    "printed": "belief",
    "released": "belief",
    "ours": "belief",
    "baseline": "direct",
    "control": "random",
}
TITLES = {
    "accuracy": "Belief evaluation: how often a listener guesses the speaker's state",
    "reward": "Behaviour evaluation: reward per game",
    "completion": "Behaviour evaluation: share of games completed",
}
ONE_SEED = "One seed: the interval is over items only, and says nothing about other agents."
EMBEDDED_NOTE = "Rows on embedded data come from a generated stand-in and are not comparable with the paper."
TESTS_NOTE = (
    "p values are from Student's t test over seeds, paired by seed; Holm's correction covers the main claims, that our "
    "criterion beats the baseline that did best on dev, one for each task, direction and judge."
)


def compare(belief: pd.DataFrame, behavior: pd.DataFrame | None = None, papers: Papers | None = None) -> pd.DataFrame:
    """One row for each cell of the paper's tables, and for each further one, with both our result and the paper's.

    `belief` and `behavior` are outcome tables of all tasks and seeds; `papers` holds the paper's results for each task.
    The table of a task that is not in the paper is named after the task.
    """
    table = _sections(over_seeds(belief))
    if behavior is not None:
        behavior = over_seeds(behavior.assign(distinct=behavior["n"]))
        behavior = behavior.assign(section="", judge="", unit="", distractors="", chance=math.nan)
        table = pd.concat([table, behavior], ignore_index=True)
    rows = [((papers or {}).get(row["task"]), row) for row in table.to_dict("records")]
    table["table"] = [_table(row, paper) for paper, row in rows]
    figures = pd.Series([_figure(row, paper) for paper, row in rows], dtype="Float64")
    table["paper"] = figures.mask(table["data"] == "embedded")
    table["difference"] = table["value"] - table["paper"]
    main = (table["measure"] == "accuracy") & table["section"].isin(["", *JUDGES]) & (table["role"] == "ours")
    table["p_holm"] = math.nan
    table.loc[main, "p_holm"] = holm(table.loc[main, "over_baseline_p_seeds"].to_numpy(dtype=float))
    return table.reindex(columns=list(COLUMNS))


def read_comparison(path: str | Path) -> pd.DataFrame:
    """The comparison as written to `comparison.csv`."""
    table = pd.read_csv(path, dtype=dict.fromkeys(TEXTS, str), keep_default_na=False, na_values=[""])
    return table.fillna(dict.fromkeys(TEXTS, ""))


def _sections(belief: pd.DataFrame) -> pd.DataFrame:
    """The rows of the belief evaluation, each in its section; those of a phrase say so where no heading does."""
    harder = set(belief.loc[belief["distractors"] == "play", "task"])  # others have the easier ones as their main rows
    phrase, section = belief["unit"] == "phrase", pd.Series("", index=belief.index)
    section[phrase] = PHRASE
    section[belief["role"] == "upper bound"] = BOUND
    section[belief["role"] == "asks the judge"] = JUDGE
    section[(belief["distractors"] != "play") & belief["task"].isin(harder)] = EASIER
    section = section.mask(belief["judge"].isin(JUDGES), belief["judge"])
    pair = belief["speaker"] + " → " + belief["listener"]
    if "words" in belief:  # phrases made from the states' attributes are said by no human
        pair = pair.mask(belief["words"] == ATTRIBUTES, pair.str.replace("H", ATTRIBUTES))
    title = belief["title"].mask(phrase & (section != PHRASE), belief["title"] + ", one phrase")
    return belief.assign(section=section, pair=pair, title=title)


def _table(row: Mapping, paper: Any) -> str:
    """The table of the paper to which a row belongs, or its task's own."""
    if row["measure"] == "accuracy":
        return paper.table if paper else row["task"]
    return paper.behavior_table if paper else f"{row['task']}_behavior"


def _figure(row: Mapping, paper: Any) -> float | None:
    """The paper's figure for a row, if the paper measured it this way."""
    if paper is None or row["criterion"] == "shuffled" or row["judge"] in JUDGES:
        return None
    if row["role"] == "baseline" and row.get("kind", "direct") != "direct":
        return None
    criterion = "none" if row["criterion"] == "none" else PAPER_CRITERIA.get(row["role"])
    if row["measure"] == "accuracy":
        same = row["unit"] != "phrase" and row["distractors"] == paper.distractors and row["candidates"] == 2
        return paper.belief.get((row["speaker"], row["listener"].replace("R*", "R"), criterion)) if same else None
    reward, completion = paper.behavior.get((row["pair"], criterion), (None, None))
    return reward if row["measure"] == "reward" else completion


def gain_text(gain: float, p_value: float, p_holm: float = math.nan) -> str:
    """A gain, its p value over seeds if there are several, and that after Holm's correction; empty without a gain."""
    tests = [f"{name} {p_text(p)}" for name, p in (("p", p_value), ("Holm", p_holm)) if not pd.isna(p)]
    return "" if pd.isna(gain) else f"{gain:+.3f}" + (f" ({', '.join(tests)})" if tests else "")


def p_text(value: float) -> str:
    """A p value to three decimals."""
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"


def with_gain_texts(table: pd.DataFrame) -> pd.DataFrame:
    """A table of `over_seeds` with its gains as texts, such as "+0.123 (p = 0.010)"."""
    texts = {}
    for role in (role for role in (*GAINS, "nonsense", "silent") if f"over_{role}" in table):
        columns = [f"over_{role}", f"over_{role}_p_seeds", *(["p_holm"] if role == "baseline" else [])]
        texts[f"over_{role}"] = [gain_text(*row) for row in table.reindex(columns=columns).to_numpy(dtype=float)]
    return table.assign(**texts)


def title_of(measure: str, rows: pd.DataFrame) -> str:
    """The title of a measure, with its chance levels."""
    chances = " or ".join(f"{chance:.2f}" for chance in sorted(rows["chance"].dropna().unique(), reverse=True))
    return f"{TITLES[measure]} (chance {chances})" if chances else TITLES[measure]


def parts_of(table: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The comparison measure by measure and section by section, each with its title; the main section first."""
    parts = []
    for measure, rows in table.groupby("measure", sort=False):
        for section in ("", *SECTIONS):
            if len(part := rows[rows["section"] == section]):
                parts.append((title_of(measure, part) + (f". {SECTIONS[section]}" if section else ""), part))
    return parts


def texts_of(part: pd.DataFrame) -> pd.DataFrame:
    """A part of the comparison as texts, under the heads of a printed table; empty columns are left out."""
    texts = []
    for row in with_gain_texts(part).to_dict("records"):
        text = {"task": row["task"], "pair": row["pair"], "criterion": row["title"]}
        text["ours [95% interval]"] = f"{row['value']:.3f} [{row['ci_low']:.3f}, {row['ci_high']:.3f}]"
        text["paper"] = "" if pd.isna(row["paper"]) else f"{row['paper']:.2f}"
        text["difference"] = "" if pd.isna(row["difference"]) else f"{row['difference']:+.3f}"
        text |= {f"over {role}": row[f"over_{role}"] for role in GAINS}
        text["words of under 1%, of the five likeliest"] = ""
        if not pd.isna(row["truth"]):
            text["words of under 1%, of the five likeliest"] = f"{row['truth']:.0%}, {row['said']:.0%}"
        text["seeds"] = str(row["seeds"])
        text["n (messages, games per seed)"] = f"{row['n']} ({row['distinct']}, {row['groups']})"
        texts.append(text | {"data": row["data"]})
    table = pd.DataFrame(texts)
    return table.loc[:, (table != "").any()]


def notes(table: pd.DataFrame) -> list[str]:
    """The notes below the tables."""
    found = [TESTS_NOTE if (table["seeds"] > 1).any() else ONE_SEED]
    return found + ([EMBEDDED_NOTE] if (table["data"] == "embedded").any() else [])


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)


def to_markdown(table: pd.DataFrame) -> str:
    """The comparison as a Markdown page; names chosen by a user are escaped."""
    lines = []
    for title, part in parts_of(table):
        texts = texts_of(part)
        for name in ("task", "criterion"):
            texts[name] = [re.sub(r"([\\`*|<>\[\]$])", r"\\\1", _printable(each)) for each in texts[name]]
        rows = [texts.columns, ["---"] * len(texts.columns), *texts.to_numpy()]
        lines += [f"# {title}", "", *(f"| {' | '.join(row)} |" for row in rows), ""]
    return "\n".join([*lines, *(f"{note}\n" for note in notes(table))])


def to_latex(table: pd.DataFrame) -> str:
    """The comparison as LaTeX tables, for the package booktabs."""
    signs = {"→": r"$\to$", "<": "$<$", ">": "$>$", "|": "$|$", "H*": "H$^*$", "R*": "R$^*$"}
    found = []
    for title, part in parts_of(table):
        text = texts_of(part).map(_printable).to_latex(index=False, escape=True)
        for sign, written in signs.items():
            text = text.replace(sign, written)
        found.append(f"% {title}\n{text}")
    return "\n".join([*found, *(f"% {note}\n" for note in notes(table))])


def to_html(table: pd.DataFrame) -> str:
    """The comparison as an HTML page of plain tables."""
    style = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem}td,th{padding:.2rem .8rem .2rem 0;text-align:left}"
    head = f'<meta charset="utf-8"><title>Comparison with the paper</title><style>{style}</style>'
    parts = [
        f"<h2>{html.escape(title)}</h2>\n{texts_of(part).to_html(index=False, border=0)}"
        for title, part in parts_of(table)
    ]
    parts += [f"<p>{html.escape(note)}</p>" for note in notes(table)]
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"
