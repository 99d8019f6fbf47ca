"""Exponents are those by which times grow, and every work can be done at every size."""

import importlib
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
WORKS = (
    "score, contexts",
    "score, messages",
    "score, phrases",
    "score, candidates",
    "speak",
    "fit robot speaker",
    "fit human speaker",
    "pool images",
    "train head",
    "choose criteria",
    "tables",
)


@pytest.fixture
def growth(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("growth")


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5, 2.0])
def test_the_exponent_of_a_power_is_found_whatever_the_small_sizes_take(growth, exponent):
    sizes = [1, 2, *(4.0 * 2 ** np.arange(growth.LARGEST))]
    times = [99.0, 7.0, *(0.03 * np.array(sizes[2:]) ** exponent)]
    assert growth.power(sizes, times) == pytest.approx((exponent, 0), abs=1e-7)


def test_the_standard_error_is_that_of_the_slope_over_many_noisy_measurements(growth):
    random, sizes = np.random.default_rng(0), 100 * 2 ** np.arange(growth.LARGEST)
    noisy = sizes**1.3 * np.exp(0.1 * random.standard_normal((3000, len(sizes))))
    slopes, errors = np.array([growth.power(sizes, times) for times in noisy]).T
    assert slopes.mean() == pytest.approx(1.3, abs=0.01)
    assert np.sqrt((errors**2).mean()) == pytest.approx(slopes.std(), rel=0.05)


def test_every_work_has_sizes_enough_for_a_line_and_its_error(growth):
    assert tuple(growth.GROWTHS) == WORKS
    for case in growth.cases(quick=False):
        assert len(case["sizes"]) >= growth.LARGEST
        assert case["sizes"] == sorted(set(case["sizes"]))


@pytest.mark.parametrize("work", WORKS)
def test_every_work_is_measured_at_every_size(growth, work):
    (case,) = (case for case in growth.cases(quick=True) if case["work"] == work)
    row = case | growth.measure(**case)
    assert set(growth.COLUMNS.values()) <= set(row)
    assert len(row["seconds"]) == len(row["megabytes"]) == len(case["sizes"])
    assert min(row["seconds"]) > 0
    assert np.isfinite(row["exponent"])
    assert row["error"] >= 0


@pytest.mark.parametrize(("work", "sizes"), [("score, contexts", [1, 3]), ("choose criteria", [1, 4])])
def test_a_work_of_another_size_does_more_of_it(growth, work, sizes, monkeypatch):
    seen = []
    if work == "score, contexts":
        monkeypatch.setattr(
            growth.BeliefCriterion, "scores", lambda self, a, b, candidates: seen.append(len(candidates))
        )
        wanted = sizes
    else:
        monkeypatch.setattr(growth, "choose", lambda table, families: seen.append(len(table)))
        wanted = [size * 2 * 2 * (36 + 8) for size in sizes]
    for size in sizes:
        growth.GROWTHS[work].make(size)()
    assert seen == wanted
