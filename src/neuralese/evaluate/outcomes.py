"""The one table of every evaluation: how well something works under each of several conditions.

Listeners guess, or players play, the same items (messages, games) under several *conditions*: what they hear is
translated by our criterion, by a baseline, at random, or not at all. Each condition yields an `Outcome`, with a value
for every item. `outcome_table` turns outcomes into rows: the mean, its interval, and the gains over the baseline and
the control on the same items. `over_seeds` averages rows over seeds.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd

from neuralese.evaluate.statistics import bootstrap_interval, over_seeds_interval, over_seeds_test, paired_test
from neuralese.translate.families import title

Heard = TypeVar("Heard")
ROLES = {
    "": "no particular role",
    "native": "what was said, untranslated",
    "ours": "what this project proposes",
    "printed": "Algorithm 1 as the paper prints it",
    "released": "the criterion of the authors' code",
    "baseline": "what ours is compared with; of several, the one that did best on dev",
    "control": "unrelated to what was said",
    "silence": "nothing is heard",
    "silent": "agents that were trained without a channel",
    "nonsense": "a language without meaning in place of English",
    "extension": "beyond the paper, such as descriptions",
    "upper bound": "sees what the listener sees, as no dictionary can",
    "asks the judge": "made by asking the listener that judges it",
}
INTERVALS = (("value", "ci_low", "ci_high"), *((each, f"{each}_low", f"{each}_high") for each in ("share", "content")))
AVERAGED = ("dev", "ties", "truth", "said")  # further columns, which are averaged over seeds
COUNTS = {"n": "sum", "groups": "max", "distinct": "max"}  # columns of counts, and how those of seeds are combined


@dataclass(frozen=True)
class Condition(Generic[Heard]):
    """A named condition, and what is heard under it."""

    name: str
    title: str
    role: str = ""
    heard: Heard | None = None  # messages, words or a channel, as the evaluation defines
    facts: Mapping[str, Any] = field(default_factory=dict)  # further columns, such as the members chosen on dev

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            known = ", ".join(filter(None, ROLES))
            raise ValueError(f"condition '{self.name}' has the unknown role '{self.role}'; choose from {known}.")


@dataclass(frozen=True)
class Outcome:
    """What came of a condition: a value for each item, by measure.

    Outcomes of the same `cell`, such as a speaker and a listener, are about the same items, so they can be compared.
    """

    condition: Condition
    cell: Mapping[str, Any]
    values: Mapping[str, np.ndarray]  # (n,) for each measure
    groups: np.ndarray | None = None  # (n,) items of the same group, such as a game, are not independent
    facts: Mapping[str, Any] = field(default_factory=dict)


def conditions_of(
    criteria: Mapping[str, Mapping[str, Any]], heard: Callable[[str, Mapping[str, Any]], Heard]
) -> list[Condition[Heard]]:
    """One condition for each criterion of the config; `heard` maps its name and settings to what is heard."""
    return [
        Condition(
            name,
            title(name, settings),
            settings.get("role", ""),
            heard(name, settings),
            {"kind": settings["kind"], "dev": settings.get("dev", math.nan)},
        )
        for name, settings in criteria.items()
    ]


def outcome_table(
    outcomes: Iterable[Outcome],
    random: np.random.Generator,
    over: Sequence[str] = ("baseline", "control"),
    shares: Mapping[str, str] | None = None,
    resamples: int = 2000,
    measures: Sequence[str] | None = None,
) -> pd.DataFrame:
    """One row for each outcome and each of its measures, or only some `measures`.

    Columns: those of the cell; criterion, title, role, measure; value with its bootstrap interval (ci_low, ci_high), n,
    groups. For each role in `over`, the gain over the condition of that role in the same cell, of several the one with
    the greatest fact `dev`, or the best if there is no such fact,
    with its standard error and p value over items (over_baseline, over_baseline_error, over_baseline_p). For each of
    `shares`, such as {"share": "silence"}, the share of the native condition's gain over the condition of that name
    that survives, with its interval (share, share_low, share_high). Then the facts.
    """
    outcomes, rows = list(outcomes), []
    for each in outcomes:
        peers = [other for other in outcomes if other.cell == each.cell]
        named = {other.condition.name: other.values for other in peers}
        native = next((other.values for other in peers if other.condition.role == "native"), None)
        for measure in measures or each.values:
            values = each.values[measure]
            low, high = bootstrap_interval(values, random, resamples, each.groups)
            row: dict[str, Any] = {**each.cell, "criterion": each.condition.name, "title": each.condition.title}
            row |= {"role": each.condition.role, "measure": measure}
            row |= {"value": values.mean(), "ci_low": low, "ci_high": high, "n": len(values)}
            row["groups"] = len(values if each.groups is None else np.unique(each.groups))
            for name, nothing in (shares or {}).items():
                share = (math.nan,) * 3
                if native is not None and nothing in named:
                    share = share_kept(values, named[nothing][measure], native[measure], random, resamples)
                row |= dict(zip((name, f"{name}_low", f"{name}_high"), share, strict=True))
            for role in over:
                gain = (math.nan,) * 3
                references = [other for other in peers if other.condition.role == role]
                if references and each.condition.role != role:
                    best = max(references, key=lambda other: reached(other, measure))
                    gain = paired_test(values, best.values[measure], each.groups)
                row |= dict(zip((f"over_{role}", f"over_{role}_error", f"over_{role}_p"), gain, strict=True))
            rows.append(row | dict(each.condition.facts) | dict(each.facts))
    return pd.DataFrame(rows)


def reached(outcome: Outcome, measure: str) -> tuple[float, float]:
    """What the best of several conditions has most of: accuracy on dev, where it is known, else of `measure`."""
    dev = {**outcome.condition.facts, **outcome.facts}.get("dev", math.nan)
    return -math.inf if math.isnan(dev) else dev, outcome.values[measure].mean()


def share_kept(
    values: np.ndarray, nothing: np.ndarray, native: np.ndarray, random: np.random.Generator, resamples: int
) -> tuple[float, float, float]:
    """(values - nothing) / (native - nothing) of the means of values (n,), and its bootstrap interval.

    NaN where native may gain nothing, judging by the same resamples.
    """
    gains = np.stack([values - nothing, native - nothing])
    levels, counts = np.unique(gains, axis=1, return_counts=True)
    kept, worth = (random.multinomial(len(values), counts / len(values), size=resamples) @ levels.T).T
    if (worth <= 0).any():
        return math.nan, math.nan, math.nan
    low, high = np.quantile(kept / worth, [0.025, 0.975])
    return float(gains[0].mean() / gains[1].mean()), float(low), float(high)


def over_seeds(table: pd.DataFrame, averaged: Sequence[str] = (), dropped: Sequence[str] = ()) -> pd.DataFrame:
    """Average the rows of an outcome table that agree in everything but the seed.

    Intervals become those of the mean over seeds; gains get a p value over seeds (over_baseline_p_seeds), NaN if there
    is only one; n is added up. The columns `averaged` become means, those `dropped` go, and all others identify a row,
    which must occur exactly once for each seed of its task; otherwise a `ValueError` is raised.
    """
    averaged = [*averaged, *(name for name in AVERAGED if name in table)]
    gains = [name.removesuffix("_error") for name in table if name.endswith("_error")]
    intervals = [names for names in INTERVALS if names[0] in table]
    measured = {name for names in intervals for name in names} | {*COUNTS, *averaged, *dropped, "seed"}
    measured |= {name for gain in gains for name in (gain, f"{gain}_error", f"{gain}_p")}
    keys = [name for name in table if name not in measured]
    _refuse(table, keys)
    rows = []
    for key, seeds in table.groupby(keys, sort=False, dropna=False):
        row = dict(zip(keys, key, strict=True)) | {"seeds": len(seeds)}
        for names in intervals:
            row |= dict(zip(names, over_seeds_interval(*(seeds[name].to_numpy() for name in names)), strict=True))
        row |= {name: seeds[name].agg(how) for name, how in COUNTS.items() if name in table}
        row |= {name: seeds[name].mean() for name in averaged}
        for gain in gains:
            found = seeds[gain].to_numpy()
            row |= {gain: seeds[gain].mean(), f"{gain}_p_seeds": over_seeds_test(found)}
        rows.append(row)
    return pd.DataFrame(rows)


def _refuse(table: pd.DataFrame, keys: list[str]) -> None:
    """Raise a `ValueError` unless each row of a task occurs exactly once for each of its seeds."""
    seeds = table.groupby(keys, dropna=False)["seed"]
    again = seeds.transform("size") > seeds.transform("nunique")
    if again.any():
        row = table.loc[again, keys].iloc[0].to_dict()
        raise ValueError(f"rows to be averaged over seeds differ in more than the seed; two are both {row}.")
    short = seeds.transform("nunique") < table.groupby("task")["seed"].transform("nunique")
    if short.any():
        task = table[table["task"] == table.loc[short, "task"].iloc[0]]
        values = task.astype(str).groupby("seed")[keys].agg(lambda column: sorted(set(column)))
        differ = [name for name in keys if len({tuple(each) for each in values[name]}) > 1]
        raise ValueError(f"seeds differ in {', '.join(differ) or 'their rows'}; average or drop what differs.")
