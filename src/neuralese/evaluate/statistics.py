"""Intervals for what was measured on a sample."""

import math

import numpy as np


def bootstrap_interval(
    values: np.ndarray,
    generator: np.random.Generator,
    resamples: int = 2000,
    groups: np.ndarray | None = None,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Percentile bootstrap interval for the mean of `values` (n,); those of one of `groups` (n,) are drawn together."""
    if groups is not None:
        _, member = np.unique(groups, return_inverse=True)
        sizes, totals = np.bincount(member), np.bincount(member, weights=values)
        drawn = generator.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=resamples)
        means = drawn @ totals / (drawn @ sizes)
    else:
        levels, counts = np.unique(values, return_counts=True)
        if len(levels) <= 8:  # few distinct values: resampling them is drawing how often each occurs
            means = generator.multinomial(len(values), counts / len(values), size=resamples) @ levels / len(values)
        else:
            means = np.array([generator.choice(values, len(values)).mean() for _ in range(resamples)])
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def paired_test(ours: np.ndarray, theirs: np.ndarray, groups: np.ndarray | None = None) -> tuple[float, float, float]:
    """Gain of `ours` over `theirs` (n,) on the same items, its standard error, and its chance under no difference.

    Items of one of `groups` (n,) count as one; the test is the normal one, on both sides.
    """
    difference = ours - theirs
    gain = difference.mean()
    if groups is None:
        groups = np.arange(len(difference))
    _, member = np.unique(groups, return_inverse=True)
    residual = np.bincount(member, weights=difference - gain)
    error = math.sqrt((residual**2).sum()) / len(difference)
    return float(gain), error, math.erfc(abs(gain) / error / math.sqrt(2)) if error else float(gain == 0)
