"""Intervals for what was measured on a sample."""

import numpy as np


def bootstrap_interval(
    values: np.ndarray, generator: np.random.Generator, resamples: int = 2000, confidence: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval for the mean of `values` (n,)."""
    levels, counts = np.unique(values, return_counts=True)
    if len(levels) <= 8:  # few distinct values: resampling them is drawing how often each occurs
        means = generator.multinomial(len(values), counts / len(values), size=resamples) @ levels / len(values)
    else:
        means = np.array([generator.choice(values, len(values)).mean() for _ in range(resamples)])
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)
