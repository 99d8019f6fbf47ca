"""What players achieve through a relay, as rows of `relay.parquet`: how much of the value of communication survives.

    share   = (relay - silence) / (neuralese - silence)
    content = (relay - shuffled) / (neuralese - shuffled)

are 1 if English carries everything neuralese does, and below 0 if it misleads. Agents that always talk have never
heard silence, and in a long game it may confuse them by itself: some of its cost is not about content. Messages of
another game sound as usual and say nothing, so `content` is about what messages say alone. All ways are played on
the same items or games, so differences and shares are paired.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from neuralese.evaluate.statistics import (
    bootstrap_interval,
    differing_in_seed,
    over_seeds_interval,
    over_seeds_test,
    paired_test,
)

NATIVE, SILENT = "native", "silence"  # roles a relay is compared with, besides the baseline
SHUFFLED = "shuffled"  # the control that hears messages of other states or games
BASELINE = "baseline"


def relay_rows(
    measure: str, values: Mapping[str, np.ndarray], roles: Mapping[str, str], resamples: int
) -> pd.DataFrame:
    """One row for each way by name: its `values` (n,), and how it compares with those of other `roles`.

    Columns: criterion, measure, value, ci_low, ci_high, n, share and content, each with its interval (share_low,
    share_high, ...), and the gains over silence and over the baseline (gain_silence, gain_baseline) with standard
    errors.
    """
    random = np.random.default_rng(0)
    known = {role: values[name] for name, role in roles.items() if role in (NATIVE, SILENT, BASELINE)}
    rows = []
    for name, value in values.items():
        low, high = bootstrap_interval(value, random, resamples)
        row = {"criterion": name, "measure": measure, "value": value.mean(), "ci_low": low, "ci_high": high}
        row["n"] = len(value)
        for share, nothing in (("share", known[SILENT]), ("content", values[SHUFFLED])):
            found = share_of(value, nothing, known[NATIVE], random, resamples)
            row |= dict(zip((share, f"{share}_low", f"{share}_high"), found, strict=True))
        for gain, role in (("gain_silence", SILENT), ("gain_baseline", BASELINE)):
            apart = role not in known or roles[name] == role
            row[gain], row[f"{gain}_error"], _ = (np.nan,) * 3 if apart else paired_test(value, known[role])
        rows.append(row)
    return pd.DataFrame(rows)


def share_of(
    value: np.ndarray, silence: np.ndarray, native: np.ndarray, generator: np.random.Generator, resamples: int
) -> tuple[float, float, float]:
    """The share of the value of communication that survives, and its bootstrap interval over items (n,).

    Undefined where communication may be worth nothing, judging by the same resamples.
    """
    gained, worth = value - silence, native - silence
    levels, counts = np.unique(np.stack([gained, worth]), axis=1, return_counts=True)
    drawn = generator.multinomial(len(value), counts / len(value), size=resamples)
    totals = drawn @ levels.T
    if (totals[:, 1] <= 0).any():
        return np.nan, np.nan, np.nan
    low, high = np.quantile(totals[:, 0] / totals[:, 1], [0.025, 0.975])
    return float(gained.mean() / worth.mean()), float(low), float(high)


KEYS = ["task", "measure", "criterion"]
VALUES = (("value", "ci_low", "ci_high"), *((name, f"{name}_low", f"{name}_high") for name in ("share", "content")))
GAINS = {"gain_silence": "p_silence", "gain_baseline": "p_baseline"}


def summarise(relays: pd.DataFrame) -> pd.DataFrame:
    """The rows of all seeds combined, one for each task, measure and way: means, intervals, and tests paired by seed.

    p values are from Student's two-sided t test over seeds; a single seed has none.
    """
    rows = []
    for key, cell in relays.groupby(KEYS, sort=False):
        row = dict(zip(KEYS, key, strict=True)) | {name: cell[name].iloc[0] for name in ("title", "role", "data")}
        row |= {
            "seeds": len(differing_in_seed(cell)),
            "n": int(cell["n"].sum()),
            "understood": cell["understood"].mean(),
        }
        for name, low, high in VALUES:
            parts = (cell[each].to_numpy(dtype=float) for each in (name, low, high))
            row[name], row[low], row[high] = over_seeds_interval(*parts)
        for gain, p_value in GAINS.items():
            row[gain], row[p_value] = cell[gain].mean(), over_seeds_test(cell[gain].to_numpy(dtype=float))
        rows.append(row)
    return pd.DataFrame(rows)
