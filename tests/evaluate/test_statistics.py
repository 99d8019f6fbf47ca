"""Intervals and tests: how wide, how often wrong, and the same as written down naively."""

import math

import numpy as np
import pytest
from scipy import stats

from neuralese.evaluate.statistics import (
    FEW,
    bootstrap_interval,
    holm,
    over_seeds_test,
    paired_test,
)

REPETITIONS, SEEDS, LEVEL = 4000, 5, 0.05


@pytest.mark.parametrize("values", [np.repeat([0.0, 0.5, 1.0], [300, 100, 600]), np.linspace(0, 1, 1000)])
def test_the_bootstrap_interval_is_as_wide_as_the_standard_error_says(values):
    low, high = bootstrap_interval(values, np.random.default_rng(0), resamples=4000)
    error = values.std() / len(values) ** 0.5
    assert low < values.mean() < high
    assert (high - low) == pytest.approx(2 * 1.96 * error, rel=0.06)


@pytest.mark.parametrize("count", [50, FEW + 500])
def test_values_that_belong_together_are_drawn_together(count):
    random = np.random.default_rng(1)
    each = random.integers(2, size=count).astype(float)
    low, high = bootstrap_interval(np.repeat(each, 20), random, 4000, groups=np.repeat(np.arange(count), 20))
    assert (high - low) == pytest.approx(2 * 1.96 * each.std() / count**0.5, rel=0.1)


def test_an_interval_of_few_groups_holds_the_truth_as_often_as_it_says():
    random, repetitions, groups = np.random.default_rng(5), 600, 8
    held = 0
    for _ in range(repetitions):
        values = np.repeat(random.normal(0, 1, groups), 20) + random.normal(0, 0.1, groups * 20)
        low, high = bootstrap_interval(values, random, 400, groups=np.repeat(np.arange(groups), 20))
        held += low <= 0 <= high
    assert held >= stats.binom.ppf(0.001, repetitions, 0.94)
    assert held < repetitions


def test_a_paired_test_counts_what_belongs_together_once():
    random = np.random.default_rng(2)
    ours, theirs = random.random(200) + 0.1, random.random(200)
    gain, error, p_value = paired_test(ours, theirs)
    assert gain == pytest.approx((ours - theirs).mean())
    assert error == pytest.approx((ours - theirs).std() / 200**0.5)
    again = paired_test(np.repeat(ours, 50), np.repeat(theirs, 50), groups=np.repeat(np.arange(200), 50))
    assert again == pytest.approx((gain, error, p_value))
    assert paired_test(ours, ours)[2] == 1


def test_without_an_effect_five_seeds_find_one_in_five_of_a_hundred_runs_and_a_normal_test_in_more():
    low, high = stats.binom.interval(0.99, REPETITIONS, LEVEL)
    gains = np.random.default_rng(3).normal(0, 0.03, (REPETITIONS, SEEDS))
    found = sum(over_seeds_test(each) < LEVEL for each in gains)
    assert low <= found <= high
    by_normal = sum(paired_test(each, np.zeros(SEEDS))[2] < LEVEL for each in gains)
    assert by_normal > 2 * high


@pytest.mark.parametrize("seeds", [2, 3, 5, 10])
def test_the_test_over_seeds_is_students(seeds):
    random = np.random.default_rng(seeds)
    for mean in (-0.5, 0.0, 0.1, 3.0):
        differences = random.normal(mean, 1, seeds)
        assert over_seeds_test(differences) == pytest.approx(stats.ttest_1samp(differences, 0).pvalue)


@pytest.mark.parametrize(
    ("differences", "p_value"),
    [([0.3], math.nan), ([], math.nan), ([0.3, math.nan, 0.2], math.nan), ([0.25] * 5, 0), ([0.0] * 5, 1)],
)
def test_one_seed_cannot_tell_and_seeds_that_all_agree_are_sure(differences, p_value):
    assert over_seeds_test(np.array(differences)) == pytest.approx(p_value, nan_ok=True)


def step_down(p_values: list[float], level: float) -> list[bool]:
    """Holm's procedure: from the smallest on, as long as p < level / (tests that are left)."""
    rejected = [False] * len(p_values)
    left = len(p_values)
    for place in sorted(range(len(p_values)), key=lambda place: (math.isnan(p_values[place]), p_values[place])):
        if not p_values[place] < level / left:
            break
        rejected[place] = True
        left -= 1
    return rejected


def test_holms_correction_decides_as_the_step_down_procedure_does():
    random, decided = np.random.default_rng(5), []
    for _ in range(500):
        p_values = random.random(random.integers(1, 9)) ** 4  # many of them small, some missing
        p_values[random.random(len(p_values)) < 0.15] = np.nan
        corrected = holm(p_values)
        for level in (0.01, 0.05, 0.3, 0.9):
            expected = step_down(p_values.tolist(), level)
            assert (corrected < level).tolist() == expected
            decided += expected
    assert 0.1 < np.mean(decided) < 0.9


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [([0.01, math.nan, 0.02], [0.03, math.nan, 0.04]), ([0.01, 0.02], [0.02, 0.02]), ([0.7, 0.6], [1, 1]), ([], [])],
)
def test_a_test_that_could_not_be_made_counts_as_one_of_those_tried(p_values, corrected):
    assert holm(np.array(p_values)).tolist() == pytest.approx(corrected, nan_ok=True)
