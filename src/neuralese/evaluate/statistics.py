"""Intervals and tests for measurements on a sample of items, by one agent or by several."""

import math

import numpy as np

FEW = 1000  # groups
AT_ONCE = 50  # resamples of many groups


def bootstrap_interval(
    values: np.ndarray, generator: np.random.Generator, resamples: int = 2000, groups: np.ndarray | None = None
) -> tuple[float, float]:
    """95 % percentile bootstrap interval for the mean of `values` (n,); those of a group (n,) are drawn together.

    With groups it is widened, because resamples of a few groups vary too little: by sqrt(G / (G - 1)), and from the
    normal distribution's quantiles to those of Student's t with G - 1 degrees of freedom, for G groups.
    """
    from scipy.special import ndtri, stdtrit  # most stages do not need it

    wider = 1.0
    if groups is not None:
        _, member = np.unique(groups, return_inverse=True)
        sizes, totals = np.bincount(member), np.bincount(member, weights=values)
        freedom = max(1, len(sizes) - 1)
        wider = math.sqrt(len(sizes) / freedom) * stdtrit(freedom, 0.975) / ndtri(0.975)
        if len(sizes) <= FEW:
            drawn = generator.multinomial(len(sizes), np.full(len(sizes), 1 / len(sizes)), size=resamples)
            means = drawn @ totals / (drawn @ sizes)
        else:  # groups are drawn faster than how often each is drawn
            parts = (min(AT_ONCE, resamples - start) for start in range(0, resamples, AT_ONCE))
            chosen = (generator.integers(len(sizes), size=(part, len(sizes))) for part in parts)
            means = np.concatenate([totals[some].sum(1) / sizes[some].sum(1) for some in chosen])
    else:
        levels, counts = np.unique(values, return_counts=True)
        if len(levels) <= 8:  # few distinct values: resampling amounts to drawing their counts
            means = generator.multinomial(len(values), counts / len(values), size=resamples) @ levels / len(values)
        else:
            means = np.array([generator.choice(values, len(values)).mean() for _ in range(resamples)])
    mean = values.mean()
    tail = (1 - 0.95) / 2
    low, high = mean + wider * (np.quantile(means, [tail, 1 - tail]) - mean)
    return float(max(low, values.min())), float(min(high, values.max()))


def paired_test(ours: np.ndarray, theirs: np.ndarray, groups: np.ndarray | None = None) -> tuple[float, float, float]:
    """Gain of `ours` over `theirs` (n,) on the same items, its standard error, and its p value.

    Items of one of `groups` (n,) count as one; the test is a two-sided normal test.
    """
    difference = ours - theirs
    gain = difference.mean()
    if groups is None:
        groups = np.arange(len(difference))
    _, member = np.unique(groups, return_inverse=True)
    residual = np.bincount(member, weights=difference - gain)
    error = math.sqrt((residual**2).sum()) / len(difference)
    return float(gain), error, math.erfc(abs(gain) / error / math.sqrt(2)) if error else float(gain == 0)


def over_seeds_interval(means: np.ndarray, lows: np.ndarray, highs: np.ndarray) -> tuple[float, float, float]:
    """The mean over seeds and its 95 % interval, from each seed's mean and interval over items, all (seeds,).

    In quadrature, it adds the spread between seeds (Student's t) to the mean interval over items; seeds share items,
    so the latter does not shrink with their number. With one seed it is over items only.
    """
    from scipy.special import stdtrit  # most stages do not need it

    seeds, mean = len(means), float(means.mean())
    between = means.std(ddof=1) / math.sqrt(seeds) * stdtrit(seeds - 1, 0.975) if seeds > 1 else 0.0
    low, high = mean - lows.mean(), highs.mean() - mean
    return mean, float(mean - math.hypot(low, between)), float(mean + math.hypot(high, between))


def over_seeds_test(differences: np.ndarray) -> float:
    """Student's two-sided paired t test: the probability of such a mean if the seeds' true mean difference were 0.

    `differences` (seeds,) are of agents trained the same way, on the same items with and without. One seed has none.
    """
    from scipy.special import stdtr  # most stages do not need it

    seeds = len(differences)
    if seeds < 2:
        return math.nan
    mean, error = differences.mean(), differences.std(ddof=1) / math.sqrt(seeds)
    if error == 0:
        return 1.0 if mean == 0 else 0.0
    return float(2 * stdtr(seeds - 1, -abs(mean) / error))


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's correction of several tests (n,): a claim holds at 0.05 if its corrected value is lower; NaN stays NaN.

    A test that could not be carried out still counts towards the number of tests.
    """
    order = np.argsort(p_values, kind="stable")  # NaN last
    steps = np.arange(len(p_values), 0, -1) * p_values[order]
    corrected = np.full(len(p_values), np.nan)
    corrected[order] = np.minimum(np.fmax.accumulate(steps), 1)
    corrected[np.isnan(p_values)] = np.nan
    return corrected
