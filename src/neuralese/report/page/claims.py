"""Plain sentences on what holds and what does not, worked out from the comparison with the paper and nothing else."""

import math
from dataclasses import dataclass

import pandas as pd

HOLDS, FAILS, OPEN = "holds", "does not hold", "cannot be told"
SURE = 0.05  # a p value below it counts as a difference
ROUNDED = 0.005  # the paper gives two decimals
DIRECTIONS = {"R → H*": "from robot to human", "H → R": "from human to robot"}
CLAIM = "translation by belief beats direct translation"


@dataclass(frozen=True)
class Claim:
    """One sentence, and whether what it says holds (none: it states figures only)."""

    text: str
    verdict: str | None = None


def claims(rows: pd.DataFrame) -> list[Claim]:
    """What can be said of one table of the comparison: the verdict on the paper's claim first, then why."""
    parts = _behavior(rows) if "reward" in set(rows["measure"]) else _belief(rows)
    return [_summary(rows, parts), *parts, *_figures(rows)]


def _summary(rows: pd.DataFrame, parts: list[Claim]) -> Claim:
    """One sentence on the claim itself, by the verdicts of the comparisons with direct."""
    deciding = [part for part in parts if CLAIM in part.text]
    verdicts = {part.verdict for part in deciding}
    verdict = verdicts.pop() if len(verdicts) == 1 else (FAILS if FAILS in verdicts else OPEN)
    held = sum(part.verdict == HOLDS for part in deciding)
    whose = "On this embedded stand-in, which is never set beside the paper, the claim"
    if not (rows["data"] == "embedded").any():
        whose = "The paper's claim"
    return Claim(f"{whose} that {CLAIM} {verdict} here: {held} of {len(deciding)} comparisons bear it out.", verdict)


def _cell(rows: pd.DataFrame, pair: str, criterion: str) -> pd.Series | None:
    found = rows[(rows["pair"] == pair) & (rows["criterion"] == criterion)]
    return None if found.empty else found.iloc[0]


def _belief(rows: pd.DataFrame) -> list[Claim]:
    found = []
    for pair, way in DIRECTIONS.items():
        belief, direct, random = (_cell(rows, pair, name) for name in ("belief", "direct", "random"))
        if belief is None or direct is None:
            found.append(Claim(f"Whether {CLAIM} {way} cannot be told: one of the two was not run.", OPEN))
        else:
            sure = belief.p_value < SURE
            verdict = OPEN if not sure else (HOLDS if belief.gain > 0 else FAILS)
            figures = f"{belief.ours:.3f} against {direct.ours:.3f}, a difference of {belief.gain:+.3f}"
            text = f"That {CLAIM} {way} {verdict}: {figures} (p {_p_value(belief.p_value)})."
            found.append(Claim(text, verdict))
        if belief is not None and random is not None:
            found.append(_beats_random(belief, random, way))
    found += _native(rows)
    return found


def _beats_random(belief: pd.Series, random: pd.Series, way: str) -> Claim:
    verdict = _apart(belief, random)
    at_chance = random.ci_low <= 0.5 <= random.ci_high
    chance = "is at chance, as it must be" if at_chance else "is not at chance, so the evaluation may leak"
    return Claim(
        f"That belief beats random translation {way} {verdict}: {_interval(belief)} against {_interval(random)}; "
        f"random {chance}.",
        verdict if at_chance else FAILS,
    )


def _native(rows: pd.DataFrame) -> list[Claim]:
    """The paper's remark on colours: what a robot says, translated, is understood better than what humans say."""
    belief, native = _cell(rows, "R → H*", "belief"), _cell(rows, "H → H*", "none")
    if belief is None or native is None or rows["task"].iloc[0] != "colors":
        return []
    verdict = _apart(belief, native)
    figures = f"{_interval(belief)} against {_interval(native)}"
    return [Claim(f"That humans understand a translated robot better than each other {verdict}: {figures}.", verdict)]


def _behavior(rows: pd.DataFrame) -> list[Claim]:
    found = []
    for measure, part in rows.groupby("measure", sort=False):
        cells = [_cell(part, "R/H", name) for name in ("belief", "direct", "random")]
        if cells[0] is None or cells[1] is None:
            found.append(Claim(f"Whether {CLAIM} in {measure} cannot be told: one of the two was not run.", OPEN))
            continue
        verdict = _apart(cells[0], cells[1])
        text = f"That {CLAIM} in {measure} {verdict}: {_interval(cells[0])} against {_interval(cells[1])}."
        found.append(Claim(text, verdict))
        if cells[2] is not None:
            verdict = _apart(cells[0], cells[2])
            text = f"That belief beats random translation in {measure} {verdict}: {_interval(cells[0])} against "
            found.append(Claim(f"{text}{_interval(cells[2])}.", verdict))
    return found


def _figures(rows: pd.DataFrame) -> list[Claim]:
    """How near our figures are to the paper's, where they may be compared at all."""
    told = rows[rows["paper"].notna() & (rows["data"] != "embedded")]
    if told.empty:
        return []
    higher, lower = (
        told["ci_low"] - ROUNDED > told["paper"],
        told["ci_high"] + ROUNDED < told["paper"],
    )
    same = len(told) - higher.sum() - lower.sum()
    text = f"Of the paper's {len(told)} figures {same} lie within our intervals; ours are higher in {higher.sum()}"
    below = "; ".join(
        f"{row.pair} {_named(row)}{row.ours:.2f} against {row.paper:.2f}" for row in told[lower].itertuples()
    )
    return [Claim(f"{text} and lower in {lower.sum()}{f' ({below})' if below else ''}.")]


def _named(row: object) -> str:
    """What tells a row from others of its pair."""
    words = [row.criterion if row.criterion != "none" else "", row.measure if row.measure != "accuracy" else ""]
    return "".join(f"{word} " for word in words if word)


def _apart(ours: pd.Series, theirs: pd.Series) -> str:
    """Whether ours is higher by more than the two intervals, added in squares, allow for."""
    if ours.ours >= theirs.ours:
        reach = math.hypot(ours.ours - ours.ci_low, theirs.ci_high - theirs.ours)
        return HOLDS if ours.ours - theirs.ours > reach else OPEN
    reach = math.hypot(ours.ci_high - ours.ours, theirs.ours - theirs.ci_low)
    return FAILS if theirs.ours - ours.ours > reach else OPEN


def _interval(cell: pd.Series) -> str:
    return f"{cell.ours:.3f} [{cell.ci_low:.3f}, {cell.ci_high:.3f}]"


def _p_value(value: float) -> str:
    return "< 0.001" if value < 0.001 else f"= {value:.3f}"
