"""The tables of docs/results.md as Markdown, from a folder of results with several seeds.

python tools/results_tables.py results            # of a run, and of its sweep over candidates if there is one
"""

import sys
from pathlib import Path

import pandas as pd

from neuralese.evaluate.comparison import p_text, read_comparison
from neuralese.evaluate.outcomes import over_seeds
from neuralese.report.page import CHOSEN
from neuralese.storage.tables import read_table

CRITERIA = ("algorithm-1", "released", "direct", "pmi", "belief", "random")
HEARD = ("neuralese", "belief", "pmi", "direct", "nonsense", "one-bit", "random", "shuffled", "silence", "no-channel")


def show(title: str, rows: list[dict]) -> None:
    """Print rows as a Markdown table."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    print(f"\n### {title}\n")
    for row in (dict(zip(heads, heads, strict=True)), dict.fromkeys(heads, "---"), *rows):
        print(f"| {' | '.join(str(row.get(name, '')) for name in heads)} |")


def number(value: float) -> str:
    """A figure to three decimals, or nothing."""
    return "" if pd.isna(value) else f"{value:.3f}"


def interval(row: pd.Series) -> str:
    """A figure with its interval."""
    return f"{row['value']:.3f} [{row['ci_low']:.3f}, {row['ci_high']:.3f}]"


def gain(row: pd.Series, role: str, p: str = "") -> str:
    """A gain with its p value over seeds."""
    value, p_value = row[f"over_{role}"], row[p or f"over_{role}_p_seeds"]
    return "" if pd.isna(value) else f"{value:+.3f}" + ("" if pd.isna(p_value) else f", p {p_text(p_value)}")


def belief(path: Path) -> None:
    """Accuracy by judge and criterion; and how true the words of each criterion are."""
    table = read_comparison(path)
    table = table[(table["measure"] == "accuracy") & (table["unit"] != "phrase")]
    accuracy, truth = [], []
    for (task, distractors, pair, judge), rows in table.groupby(["task", "distractors", "pair", "judge"], sort=False):
        known = rows.drop_duplicates("criterion").set_index("criterion")
        if "belief" not in known.index:
            continue
        own = table[(table["task"] == task) & (table["distractors"] == distractors) & (table["judge"] == judge)]
        own = own[(own["criterion"] == "none") & (own["pair"].str[0] == "H")]
        ours = known.loc["belief"]
        row = {"task": task, "distractors": distractors, "pair": pair, "judge": judge, "paper": number(ours["paper"])}
        row["people's own words"] = number(own["value"].iloc[0]) if len(own) else ""
        row |= {name: number(known.loc[name, "value"]) for name in CRITERIA if name in known.index}
        row |= {"belief": interval(ours), "over the best baseline (Holm)": gain(ours, "baseline", "p_holm")}
        accuracy.append(row | {"over it, uncorrected": gain(ours, "baseline")})
        if known["truth"].notna().any() and judge == "H*":
            for name in (name for name in CRITERIA if name in known.index):
                shares = {"under 1 %": "truth", "of the five likeliest": "said"}
                shares = {head: f"{100 * known.loc[name, column]:.0f} %" for head, column in shares.items()}
                truth.append({"task": task, "distractors": distractors, "criterion": name, **shares})
            told = own.iloc[0] if len(own) else None
            if told is not None and not pd.isna(told["truth"]):
                shares = {
                    "under 1 %": f"{100 * told['truth']:.0f} %",
                    "of the five likeliest": f"{100 * told['said']:.0f} %",
                }
                truth.append({"task": task, "distractors": distractors, "criterion": "people's own words", **shares})
    show("Belief evaluation, by judge", accuracy)
    show("How true translations are", truth)


def relay(path: Path, by: str = "") -> None:
    """What survives of each task and measure under every condition."""
    table = read_table(path, "relay").to_pandas()
    rows = []
    for keys, part in table.groupby(["task", *([by] if by else []), "measure"], sort=False):
        known = over_seeds(part, averaged=["understood"], dropped=CHOSEN).set_index("criterion")
        values = known["value"]
        for name in (name for name in HEARD if name in known.index):
            row = dict(zip(("task", *(["candidates"] if by else []), "measure"), keys, strict=True)) | {"heard": name}
            row |= {"value": interval(known.loc[name]), "understood": number(known.loc[name, "understood"])}
            row |= {
                f"over {role}": gain(known.loc[name], role) for role in ("nonsense", "silent", "baseline", "silence")
            }
            if "no-channel" in known.index:
                worth = values["neuralese"] - values["no-channel"]
                row["of the value of a channel"] = f"{100 * (values[name] - values['no-channel']) / worth:.0f} %"
            rows.append(row)
    show(f"Through English and back{f', by {by}' if by else ''}", rows)


if __name__ == "__main__":
    results = Path(sys.argv[1])
    if (path := results / "tables/comparison.csv").exists():
        belief(path)
        relay(results / "tables/relay.parquet")
    if (path := results / "sweep/relay.parquet").exists():
        relay(path, "games.*.candidates")
