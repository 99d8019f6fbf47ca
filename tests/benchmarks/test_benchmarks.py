"""The benchmarks run, their fast code agrees with the naive code, and their scripts compute what they print."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    """Import a script of the folder, which is not a package."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.mark.slow
def test_the_command_writes_results_and_its_scores_equal_those_of_the_naive_loop(tmp_path):
    command = [sys.executable, str(FOLDER / "run.py"), "--quick", "--only", "dictionary", "--to", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    rows = json.loads((tmp_path / "results.json").read_text())["subjects"]["dictionary"]["rows"]
    assert {row["criterion"] for row in rows} == {"default", "Algorithm 1"}
    assert all(row["error"] < 1e-6 for row in rows)
    assert "## Dictionary scoring" in (tmp_path / "results.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["updates", "features", "corpora"])
def test_a_subject_measures_every_column_of_its_table(subject, benchmark, monkeypatch):
    module = benchmark(subject)
    if subject == "corpora":  # by default it fits as long as a real run
        monkeypatch.setattr(module, "FITTING", module.FITTING.model_copy(update={"steps": 200}))
    for case in module.cases(quick=True):
        assert set(module.COLUMNS.values()) <= set(case | module.measure(**case))


def test_cells_of_two_runs_are_compared_by_the_margin_of_their_measure(benchmark):
    def run(**cells: list[float]) -> pd.DataFrame:
        rows = [(*name.split("__"), seed, value) for name, values in cells.items() for seed, value in enumerate(values)]
        return pd.DataFrame(rows, columns=["cell", "measure", "seed", "value"])

    close, apart = [0.8, 0.801, 0.799], [0.8, 0.85, 0.75]
    before = run(a__accuracy=close, b__reward=[2.4, 2.41, 2.39], c__accuracy=apart, gone__accuracy=close)
    after = run(a__accuracy=[0.83, 0.831, 0.829], b__reward=[2.43, 2.44, 2.42], c__accuracy=apart, new__accuracy=close)
    table = benchmark("equivalence").compared(before, after).set_index("cell")
    assert table["verdict"].to_dict() == {"a": "beyond the margin", "b": "equivalent", "c": "open"}
    assert list(table["difference"]) == pytest.approx([0.03, 0.03, 0])
    assert list(table["p"] < 0.05) == [False, True, False]


def test_equivalence_is_the_larger_of_two_tests_of_welch(benchmark):
    equivalence_test, random = benchmark("equivalence").equivalence_test, np.random.default_rng(5)
    before, after = random.normal(0.8, 0.02, 5), random.normal(0.805, 0.01, 7)
    difference, half, p = equivalence_test(before, after, margin=0.03)
    sides = [
        stats.ttest_ind(after + shift, before, equal_var=False, alternative=side).pvalue
        for shift, side in ((0.03, "greater"), (-0.03, "less"))
    ]
    assert (difference, p) == pytest.approx((after.mean() - before.mean(), max(sides)))
    interval = stats.ttest_ind(after, before, equal_var=False).confidence_interval(0.9)
    assert (difference - half, difference + half) == pytest.approx(tuple(interval))
    assert np.isnan(equivalence_test(before[:1], after, 0.03)[1:]).all()
    assert equivalence_test(np.full(5, 0.8), np.full(5, 0.81), 0.03)[1:] == pytest.approx((0, 0))
    assert equivalence_test(np.full(5, 0.8), np.full(5, 0.84), 0.03)[1:] == pytest.approx((0, 1))
