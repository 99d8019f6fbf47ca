"""What a run found, for the first screen of the report: a paragraph and the rows of one chart.

Both come only from the comparison and the relays; the verdicts of tests are in `claims`.
"""

from collections.abc import Iterable, Mapping

import pandas as pd

from neuralese.evaluate.comparison import p_text
from neuralese.report.page.claims import HOLDS, NATIVE, SURE, verdict_of

WAYS = {"R": "robot → human", "H": "human → robot", "attributes": "attributes → robot"}


def uninformative(parts: Iterable[dict]) -> dict[str, float]:
    """The tasks in no seed of which messages say anything about states, and the least p of the permutation tests."""
    tests: dict[str, list[float]] = {}
    for part in parts:
        for row in part["protocol"]:
            if (row["measure"], row["variable"]) == ("p_value", ""):
                tests.setdefault(part["task"], []).append(row["value"])
    return {task: min(found) for task, found in tests.items() if min(found) >= SURE}


def main_cells(comparison: pd.DataFrame, without: Iterable[str] = ()) -> list[dict]:
    """One cell for each task and direction: the accuracy of ours and the baseline, chance, and the test's verdict.

    Tasks in `without` have none.
    """
    rows = comparison[(comparison["section"] == "") & (comparison["measure"] == "accuracy")]
    rows = rows[~rows["task"].isin(list(without))]
    rows = rows[~rows["pair"].isin(NATIVE)]
    cells = []
    for (task, pair), part in rows.groupby(["task", "pair"], sort=False):
        known = {row.role: row for row in part.itertuples()}
        if "ours" not in known:
            continue
        ours, baseline = known["ours"], known.get("baseline")
        cells.append(
            {
                "task": task,
                "way": WAYS[pair.partition(" ")[0]],
                "chance": ours.chance,
                "ours": ours.value,
                "low": ours.ci_low,
                "high": ours.ci_high,
                "baseline": None if baseline is None else baseline.value,
                "names": (ours.criterion, "" if baseline is None else baseline.criterion),
                "tested": ours.seeds > 1 and baseline is not None,
                "holds": ours.data != "embedded" and verdict_of(ours.over_baseline, ours.p_holm) == HOLDS,
                "seeds": ours.seeds,
            }
        )
    return cells


def paragraph(
    cells: list[dict],
    relays: Iterable[dict],
    names: Mapping[str, str],
    embedded: bool,
    nothing_in: Mapping[str, float] | None = None,
) -> str:
    """The findings in a few sentences: how much is understood, whether ours beats the baseline, what survives.

    `nothing_in` holds the tasks whose messages say nothing, with the p value of the permutation test.
    """
    silent = [
        "These messages carry no information about these states that we can detect "
        f"({names[task]}: permutation test, p {p_text(p_value)})."
        for task, p_value in (nothing_in or {}).items()
    ]
    if not cells:
        return " ".join(silent) or "Nothing was translated in this run."
    told = []
    for way in dict.fromkeys(cell["way"] for cell in cells):
        of_way = [cell for cell in cells if cell["way"] == way]
        figures = _listed(f"{cell['ours']:.0%} ({names[cell['task']]})" for cell in of_way)
        told.append(f"{figures} of the time from {way.replace(' → ', ' to ')}")
    chance = _listed(dict.fromkeys(f"{cell['chance']:.0%}" for cell in cells))
    ours, baseline = next((cell["names"] for cell in cells if cell["names"][1]), (cells[0]["names"][0], ""))
    sentences = [
        f"Translated by {ours}, a message lets its listener guess what the speaker meant {', and '.join(told)}; "
        f"chance is {chance}."
    ]
    if tested := [cell for cell in cells if cell["tested"]]:
        beaten = sum(cell["holds"] for cell in tested)
        sentences.append(
            f"It beats {baseline} translation, also chosen on dev, in {beaten} of {len(tested)} comparisons "
            f"({tested[0]['seeds']} seeds, after Holm's correction)."
            if not embedded
            else "On a stand-in for real data, this supports no claim."
        )
    elif baseline:
        sentences.append("Only one seed was run, so nothing can be claimed about other agents.")
    relays = [table for table in relays if table["measure"] != "completion"]
    if kept := _kept(relays, "ours", names):
        other, understood = _kept(relays, "baseline", names), _kept(relays, "ours", names, "understood")
        sentences.append(
            f"Two robots that hear each other only through English keep {kept} of the value of communication"
            f"{f' (by {baseline}, {other})' if other else ''}, as they might through any consistent code"
            f"{f'; the model human guesses right from that English {understood} of the time' if understood else ''}."
        )
    return " ".join([*silent, *sentences])


def _kept(relays: Iterable[dict], role: str, names: Mapping[str, str], figure: str = "share") -> str:
    """The shares that survive under the criterion with this role, if any, or another figure."""
    shares = [
        f"{row[figure]:.0%} ({names[table['task']]})"
        for table in relays
        for row in table["rows"]
        if row["role"] == role and row["share"] == row["share"] and row[figure] == row[figure]
    ]
    return _listed(shares) if shares else ""


def scale(cells: list[dict]) -> list[dict]:
    """The cells with their positions on an axis that ends at 1, in percent of its length."""
    if not cells:
        return []
    least = min(min(cell["chance"], cell["low"], cell["baseline"] or 1) for cell in cells)
    start = max(0.0, least - 0.05 * (1 - least))

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * (min(max(value, start), 1) - start) / (1 - start), 2)

    return [
        {**cell, "at": {name: place(cell[name]) for name in ("chance", "ours", "low", "high", "baseline")}}
        for cell in cells
    ]


def _listed(parts: Iterable[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)} and {last}" if first else last
