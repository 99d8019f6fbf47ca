"""What a run found: sentences on what holds, from the comparison with the paper, and the first screen of the report.

A claim holds, or not, by Student's t test over seeds at 0.05, the main claims after Holm's correction; from one
seed, differences are only described. Criteria are identified by their role, whatever a user calls them.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.special import ndtri

from neuralese.evaluate.comparison import p_text

HOLDS, FAILS, OPEN = "holds", "does not hold", "is not shown"
SURE = 0.05  # a p value below it counts as a difference
ROUNDED = 0.005  # the paper gives two decimals
WAYS = {"R": "robot → human", "H": "human → robot", "attributes": "attributes → robot"}
NATIVE = ("H → H*", "attributes → attributes*", "R → R", "R → R*")  # pairs of one language


@dataclass(frozen=True)
class Claim:
    """One sentence, and whether what it says holds (none if it only states figures)."""

    text: str
    verdict: str | None = None


def claims(rows: pd.DataFrame) -> list[Claim]:
    """What can be said about one table of the comparison: the verdict on the main claim, if any, first, then why."""
    main, several = rows[rows["section"] == ""], (rows["seeds"] > 1).any()
    deciding, more = _behavior(main, several) if "reward" in set(rows["measure"]) else _belief(main, several)
    embedded = (rows["data"] == "embedded").any()
    summary = [_summary(deciding, embedded)] if several else []
    found = [*summary, *deciding, *more, *_figures(rows)]
    return [Claim(each.text) for each in found] if embedded else found  # a stand-in supports and refutes nothing


def _summary(deciding: list[Claim], embedded: bool) -> Claim:
    """One sentence on the main claim, from the verdicts of the comparisons with the baseline."""
    verdicts = {part.verdict for part in deciding}
    verdict = verdicts.pop() if len(verdicts) == 1 else (FAILS if FAILS in verdicts else OPEN)
    held = sum(part.verdict == HOLDS for part in deciding)
    where = "on this embedded stand-in, which is never compared with the paper" if embedded else "here"
    claim = "The claim that matching beliefs, by the criterion chosen on dev, beats the baseline, also chosen on dev,"
    return Claim(f"{claim} {verdict} {where}: {held} of {len(deciding)} comparisons support it.", verdict)


def _by_role(rows: pd.DataFrame) -> dict[str, Any]:
    """The first row of each role."""
    return {row.role: row for row in rows[::-1].itertuples()}


def verdict_of(gain: float, p_value: float) -> str:
    """The verdict of a gain and its p value over seeds."""
    if not p_value < SURE:  # also if there is none
        return OPEN
    return HOLDS if gain > 0 else FAILS


def _beats(ours: Any, other: Any, where: str, verdict: str, figures: str) -> Claim:
    """Whether ours beats another criterion; from one seed, only the figures."""
    if ours.seeds == 1:
        return Claim(f"{ours.criterion} beside {other.criterion} {where}: {figures}.")
    return Claim(f"The claim that {ours.criterion} beats {other.criterion} {where} {verdict}: {figures}.", verdict)


def _tested(p_value: float, seeds: int, corrected: str = "") -> str:
    return f"p {p_text(p_value)}{corrected}, {seeds} seeds" if not math.isnan(p_value) else "one seed, no test"


def _belief(rows: pd.DataFrame, several: bool) -> tuple[list[Claim], list[Claim]]:
    """Whether ours beats the baseline in each direction; and how the paper's criteria and the controls do."""
    deciding, more = [], []
    roles = rows["role"].isin(["ours", "baseline", "control", "printed", "released"])
    for pair, cells in rows[roles & ~rows["pair"].isin(NATIVE)].groupby("pair", sort=False):
        way, known = _in_words(WAYS[pair.partition(" ")[0]]), _by_role(cells)
        if {"ours", "baseline"} <= set(known):
            ours, baseline = known["ours"], known["baseline"]
            tested = _tested(ours.p_holm, ours.seeds, " after Holm's correction")
            gained = f"a difference of {ours.over_baseline:+.3f} ({tested})"
            figures = f"{ours.value:.3f} against {baseline.value:.3f}, {gained}"
            verdict = verdict_of(ours.over_baseline, ours.p_holm)
            deciding.append(_beats(ours, baseline, way, verdict, figures))
        else:
            text = f"Whether ours beats the baseline {way} is unknown: one of them was not run."
            deciding.append(Claim(text, OPEN if several else None))
        for cell in (known[role] for role in ("printed", "released") if role in known):
            # its tests are not among the main claims, so nothing is decided
            over = "" if math.isnan(cell.over_baseline) else f", {cell.over_baseline:+.3f} over the baseline"
            tested = _tested(cell.over_baseline_p_seeds, cell.seeds, " without correction")
            more.append(Claim(f"The paper's criterion {way}, {cell.title}: {_interval(cell)}{over} ({tested})."))
        if {"ours", "control"} <= set(known):
            ours = known["ours"]
            gain, p_value = ours.over_control, ours.over_control_p_seeds
            figures = f"{gain:+.3f} ({_tested(p_value, ours.seeds)})"
            more.append(_beats(ours, known["control"], f"translation {way}", verdict_of(gain, p_value), figures))
    return deciding, more + _leak(rows)


def _leak(rows: pd.DataFrame) -> list[Claim]:
    """Whether every control is at chance; if not, the evaluation leaks more than the messages say."""
    controls = rows[(rows["role"] == "control") & (rows["measure"] == "accuracy")]
    if controls.empty:
        return []
    wider = ndtri(1 - SURE / 2 / len(controls)) / ndtri(1 - SURE / 2)  # corrected for several controls
    low = controls["value"] - wider * (controls["value"] - controls["ci_low"])
    high = controls["value"] + wider * (controls["ci_high"] - controls["value"])
    off = controls[(low > controls["chance"]) | (high < controls["chance"])]
    if off.empty:
        verdict = HOLDS if (controls["seeds"] > 1).all() else None  # one seed says nothing about other agents
        return [Claim(f"All {len(controls)} controls are at chance, as they must be.", verdict)]
    which = "; ".join(f"{row.pair}, {row.title}: {_interval(row)}" for row in off.itertuples())
    return [Claim(f"Not all controls are at chance, so the evaluation may leak: {which}.", FAILS)]


def _behavior(rows: pd.DataFrame, several: bool) -> tuple[list[Claim], list[Claim]]:
    """Whether ours beats the baseline in each measure; and the control, and silence."""
    deciding: list[Claim] = []
    more: list[Claim] = []
    for measure, part in rows[rows["pair"] == "R/H"].groupby("measure", sort=False):
        known = _by_role(part)
        if (ours := known.get("ours")) is None:
            text = f"Whether ours beats the baseline in {measure} is unknown: it was not run."
            deciding.append(Claim(text, OPEN if several else None))
            continue
        for role in (role for role in ("baseline", "control", "silence") if role in known):
            other, gain = known[role], getattr(ours, f"over_{role}")
            p_value = getattr(ours, f"over_{role}_p_seeds")
            figures = f"{ours.value:.3f} against {other.value:.3f}, {gain:+.3f} ({_tested(p_value, ours.seeds)})"
            claim = _beats(ours, other, f"in {measure}", verdict_of(gain, p_value), figures)
            (deciding if role == "baseline" else more).append(claim)
    return deciding, more


def _figures(rows: pd.DataFrame) -> list[Claim]:
    """How close our figures are to the paper's, where comparable."""
    told = rows[rows["paper"].notna() & (rows["data"] != "embedded")]
    if told.empty:
        return []
    higher = (told["ci_low"] - ROUNDED > told["paper"]).sum()
    below = []
    for row in told[told["ci_high"] + ROUNDED < told["paper"]].itertuples():
        words = [row.pair, row.title if row.criterion != "none" else "", row.measure.replace("accuracy", "")]
        below.append(f"{' '.join(filter(None, words))} {row.value:.2f} against {row.paper:.2f}")
    within = f"{len(told) - higher - len(below)} have its figure within their interval"
    lower = f"{len(below)} lower" + (f" ({'; '.join(below)})" if below else "")
    return [Claim(f"Of {len(told)} cells that the paper also reports, {within}, {higher} are higher and {lower}.")]


def _interval(cell: Any) -> str:
    return f"{cell.value:.3f} [{cell.ci_low:.3f}, {cell.ci_high:.3f}]"


def _in_words(way: str) -> str:
    return f"from {way.replace(' → ', ' to ')}"


# the first screen of the report


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
        known = _by_role(part)
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
        told.append(f"{figures} of the time {_in_words(way)}")
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
