"""What a run found, in sentences: on each table of the comparison with the paper, in short, and on the theory.

A claim holds, or not, by Student's t test over seeds at 0.05, the main claims after Holm's correction; from one
seed, differences are only described. Criteria are identified by their role, whatever a user calls them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.special import ndtri

from neuralese.evaluate.comparison import JUDGES, p_text

HOLDS, FAILS, OPEN = "holds", "does not hold", "is not shown"
SURE = 0.05  # a p value below it counts as a difference
ROUNDED = 0.005  # the paper gives two decimals
WAYS = {"R": "robot → human", "H": "human → robot", "attributes": "attributes → robot"}
NATIVE = ("H → H*", "attributes → attributes*", "R → R", "R → R*")  # pairs of one language


@dataclass(frozen=True)
class Claim:
    """One sentence, and whether what it says holds (None if it only states figures)."""

    text: str
    verdict: str | None = None


def claims(rows: pd.DataFrame) -> list[Claim]:
    """The claims about one table of the comparison: the verdict on the main claim, if any, first, then why."""
    main, several = rows[rows["section"].isin(["", *JUDGES])], (rows["seeds"] > 1).any()
    behavior, embedded = "reward" in set(rows["measure"]), (rows["data"] == "embedded").any()
    if behavior:
        groups = main[main["pair"] == "R/H"].groupby(["measure", "section"], sort=False)
    else:
        told = main["role"].isin(["ours", "baseline", "control"]) & ~main["pair"].isin(NATIVE)
        groups = main[told].groupby(["pair", "section"], sort=False)
    deciding: list[Claim] = []
    more: list[Claim] = []
    for (name, judge), cells in groups:
        where, known = f"in {name}" if behavior else _in_words(way_of(name)), _by_role(cells)
        where += f" (judged by {judge})" if judge else ""
        if not {"ours", "baseline"} <= set(known):
            text = f"Whether ours beats the baseline {where} is unknown: one of them was not run."
            deciding.append(Claim(text, OPEN if several else None))
        for role in ("baseline", "control", "silence") if "ours" in known else ():
            if role in known:
                corrected = role == "baseline" and not behavior
                claim = _comparison(known["ours"], known[role], where, corrected)
                (deciding if role == "baseline" else more).append(claim)
    summary = [_summary(deciding, embedded)] if several else []
    found = [*summary, *deciding, *more, *([] if behavior else _leak(main)), *_figures(rows)]
    return [Claim(each.text) for each in found] if embedded else found  # a stand-in supports and refutes nothing


def verdict_of(gain: float, p_value: float) -> str:
    """The verdict on a gain, by its p value over seeds."""
    if not p_value < SURE:  # also if it is NaN
        return OPEN
    return HOLDS if gain > 0 else FAILS


def way_of(pair: str) -> str:
    """The direction of translation in a pair of speaker and listener."""
    return WAYS[pair.partition(" ")[0]]


def _summary(deciding: list[Claim], embedded: bool) -> Claim:
    """The main claim, judged by the comparisons with the baseline."""
    verdicts = {part.verdict for part in deciding}
    verdict = verdicts.pop() if len(verdicts) == 1 else (FAILS if FAILS in verdicts else OPEN)
    held = sum(part.verdict == HOLDS for part in deciding)
    where = "on this embedded stand-in, which is never compared with the paper" if embedded else "here"
    claim = (
        "The claim that matching beliefs, by the criterion chosen on dev, beats the best baseline, also chosen on dev,"
    )
    return Claim(f"{claim} {verdict} {where}: {held} of {len(deciding)} comparisons support it.", verdict)


def _comparison(ours: Any, other: Any, where: str, corrected: bool) -> Claim:
    """Whether ours beats another criterion; from one seed, only the figures."""
    gain = getattr(ours, f"over_{other.role}")
    figures = f"{ours.value:.3f} against {other.value:.3f}, a difference of {gain:+.3f}"
    if ours.seeds == 1:
        return Claim(f"{ours.criterion} beside {other.criterion} {where}: {figures} (one seed, no test).")
    p_value = ours.p_holm if corrected else getattr(ours, f"over_{other.role}_p_seeds")
    correction = " after Holm's correction" if corrected else ""
    figures += f" (p {p_text(p_value)}{correction}, {ours.seeds} seeds)"
    verdict = verdict_of(gain, p_value)
    return Claim(f"The claim that {ours.criterion} beats {other.criterion} {where} {verdict}: {figures}.", verdict)


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
    figures = off[["pair", "title", "value", "ci_low", "ci_high"]].itertuples(index=False, name=None)
    which = "; ".join("{}, {}: {:.3f} [{:.3f}, {:.3f}]".format(*row) for row in figures)
    return [Claim(f"Not all controls are at chance, so the evaluation may leak: {which}.", FAILS)]


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


def _by_role(rows: pd.DataFrame) -> dict[str, Any]:
    """The first row of each role; of several baselines, the one that did best on dev."""
    ordered = rows[::-1].sort_values("dev", na_position="first", kind="stable")
    return {row.role: row for row in ordered.itertuples()}


def _in_words(way: str) -> str:
    return f"from {way.replace(' → ', ' to ')}"


# the first screen of the report

# who judges translations, and by what: another judge needs a line here, and a section of its own in the comparison
JUDGED_BY = {
    "H*": "a model of a person, fitted to what people said",
    "neighbours": "what people said of the most similar states; no model",
    "comparative": "hears “red” as “the redder one”",
    "attributes*": "a model of the states' attributes",
    "R": "the robot itself",
    "R*": "a model of the robot",
}
MARKS = ("control", "baseline", "printed", "ours", "extension")  # roles of the criteria that are compared there


def uninformative(parts: Iterable[dict]) -> dict[str, float]:
    """The tasks whose messages say nothing about states in any seed, with the least p of the permutation tests."""
    tests: dict[str, list[float]] = {}
    for part in parts:
        for row in part["protocol"]:
            if (row["measure"], row["variable"]) == ("p_value", ""):
                tests.setdefault(part["task"], []).append(row["value"])
    return {task: min(found) for task, found in tests.items() if min(found) >= SURE}


def main_cells(comparison: pd.DataFrame, without: Iterable[str] = ()) -> list[dict]:
    """One cell for each task (but those in `without`), direction and judge: ours beside the others, and the verdict."""
    main = comparison["section"].isin(["", *JUDGES]) & (comparison["measure"] == "accuracy")
    rows = comparison[main & ~comparison["task"].isin(list(without))]
    rows = rows.assign(judge=rows["section"].where(rows["section"] != "", rows["pair"].str.split(" → ").str[-1]))
    own = rows[rows["role"] == "native"].groupby(["task", "judge"])["value"].first()
    cells = []
    for (task, pair, judge), part in rows[~rows["pair"].isin(NATIVE)].groupby(["task", "pair", "judge"], sort=False):
        known = _by_role(part)
        if "ours" not in known:
            continue
        ours, best = known["ours"], known.get("baseline")
        phrases = part[part["criterion"] != "description-shuffled"]  # one nonsense is enough
        shown = {row.criterion: row for role in MARKS for row in phrases[phrases["role"] == role].itertuples()}
        cells.append(
            {
                "task": task,
                "way": way_of(pair),
                "judge": judge,
                "chance": ours.chance,
                "ours": ours.value,
                "low": ours.ci_low,
                "high": ours.ci_high,
                "name": ours.criterion,
                "best": best and best.criterion,
                "truth": None if pd.isna(ours.truth) else ours.truth,
                "marks": {name: (row.value, row.ci_low, row.ci_high) for name, row in shown.items()},
                "roles": {name: row.role for name, row in shown.items()},
                "own": float(own.get((task, judge), math.nan)),
                "paper": None if pd.isna(ours.paper) else ours.paper,
                "verdict": None if ours.data == "embedded" or not best else verdict_of(ours.over_baseline, ours.p_holm),
                "seeds": ours.seeds,
            }
        )
    order = list(dict.fromkeys(cell["task"] for cell in cells))
    return sorted(cells, key=lambda cell: (order.index(cell["task"]), cell["way"] != WAYS["R"]))


def findings(cells: Sequence[dict]) -> list[dict]:
    """For each task, how often its first judge picks what was meant, and the other figures in a sentence."""
    found = []
    for task in dict.fromkeys(cell["task"] for cell in cells):
        first, *further = [cell for cell in cells if cell["task"] == task]
        baselines = [name for name, role in first["roles"].items() if role == "baseline"]
        beside = ", ".join(f"{100 * first['marks'][name][0]:.0f} by {name}" for name in baselines)
        heard = "English" if first["way"] == WAYS["R"] else "translation"
        others = f"chance {100 * first['chance']:.0f}{f'; {beside}' if beside else ''}"
        text = [f"{first['judge']} hears the {heard} and picks what was meant ({others})."]
        if first["seeds"] > 1 and first["verdict"]:
            test = f"{first['seeds']} seeds, after Holm's correction"
            text.append(f"That this beats {first['best']} {first['verdict']} ({test}).")
        judges = [f"{100 * cell['ours']:.0f} by {cell['judge']}" for cell in further if cell["way"] == first["way"]]
        text += [f"Otherwise judged: {', '.join(judges)}."] if judges else []
        back = [f"{_in_words(cell['way'])} {100 * cell['ours']:.0f}" for cell in further if cell["way"] != first["way"]]
        text += [f"The other way, {', '.join(back)}."] if back else []
        found.append({"task": task, "share": first["ours"], "text": " ".join(text)})
    return found


def relay_sentence(relays: Iterable[dict], names: Mapping[str, str]) -> str:
    """How much of the value of communication survives translation into English and back."""
    relays = [table for table in relays if table["measure"] != "completion"]
    if not (kept := _kept(relays, "ours", "share", names)):
        return ""
    other, understood = _kept(relays, "baseline", "share", names), _kept(relays, "ours", "understood", names)
    babble = _kept(relays, "nonsense", "share", names)
    return (
        f"Robots that hear each other only through English keep {kept} of the value of communication"
        f"{f'; by a baseline, {other}' if other else ''}"
        f"{f'; through nonsense, {babble}' if babble else ', as they might through any consistent code'}"
        f"{f'. H* understands {understood} of the same English' if understood else ''}."
    )


def _kept(relays: Iterable[dict], role: str, figure: str, names: Mapping[str, str]) -> str:
    """A figure of the criterion with this role, for each relay in which there is a share that survives."""
    *first, last = [
        f"{row[figure]:.0%} ({names[table['task']]})"
        for table in relays
        for row in table["rows"]
        if row["role"] == role and not math.isnan(row["share"]) and not math.isnan(row[figure])
    ] or [""]
    return f"{', '.join(first)} and {last}" if first else last


# theory


def bound_sentence(means: pd.DataFrame) -> str:
    """On how many tasks the loss is within its bound."""
    within, idle = (means["lost"] <= means["bound"]).sum(), (means["bound"] >= 1).sum()
    told = f"The accuracy lost is within √(2D) on {within} of {len(means)} tasks"
    return f"{told}; on {idle} of them the bound is 1 or more, so it is vacuous." if idle else f"{told}."


def theory_sentence(lost: pd.DataFrame) -> str:
    """Whether any message of a random game lost more than its bound."""
    broken = (lost["lost"] > lost["bound"] + 1e-9).sum()
    told = f"{len(lost):,} messages of {lost['game'].nunique():,} random games"
    if broken:
        return f"Proposition 1 does not hold: {broken:,} of {told} lose more than their bound."
    return f"Proposition 1 holds: none of {told} loses more than its bound."
