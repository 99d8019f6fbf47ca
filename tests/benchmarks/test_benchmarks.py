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

from neuralese import tasks
from neuralese.config import sweep
from neuralese.config.load import load
from neuralese.config.models import config_model
from neuralese.errors import NeuraleseError
from neuralese.translate.criteria import kinds

FOLDER = Path(__file__).parents[2] / "benchmarks"
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


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
@pytest.mark.parametrize("subject", ["world", "updates", "features", "parsing", "corpora", "growth"])
def test_a_subject_measures_every_column_of_its_table(subject, benchmark, monkeypatch):
    module = benchmark(subject)
    if subject == "corpora":  # by default it fits as long as a real run
        monkeypatch.setattr(module, "FITTING", module.FITTING.model_copy(update={"steps": 200}))
    for case in module.cases(quick=True):
        assert set(module.COLUMNS.values()) <= set(case | module.measure(**case))


def test_the_exponent_of_growth_and_its_standard_error_are_those_of_noisy_powers(benchmark):
    growth, random = benchmark("growth"), np.random.default_rng(0)
    sizes = 100 * 2 ** np.arange(growth.LARGEST)
    assert growth.power([1, 2, *sizes], [99, 7, *(0.03 * sizes**1.5)]) == pytest.approx((1.5, 0), abs=1e-7)
    noisy = sizes**1.3 * np.exp(0.1 * random.standard_normal((3000, len(sizes))))
    slopes, errors = np.array([growth.power(sizes, times) for times in noisy]).T
    assert slopes.mean() == pytest.approx(1.3, abs=0.01)
    assert np.sqrt((errors**2).mean()) == pytest.approx(slopes.std(), rel=0.05)


def test_core_hours_grow_with_seeds_and_points_only_where_stages_are_repeated(benchmark, tmp_path):
    cost = benchmark("cost")
    with pytest.raises(NeuraleseError, match="run the pipeline first"):
        cost.read_benchmarks(tmp_path)
    files = {"birds/extract_features": (3600, 160, 900), "birds/seed0/gather_report": (7200, "-", "-")}
    files |= {f"birds/seed{seed}/train_agent": (3600 * hours, 104, 1) for seed, hours in enumerate((1, 9, 2))}
    for name, (seconds, busy, memory) in files.items():
        path = tmp_path / f"benchmarks/{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{HEADER}{seconds}\t0:00:00\t{memory}\t-\t-\t-\t-\t-\t{busy}\t1\n")
    stages = cost.read_benchmarks(tmp_path)
    cores = dict(zip(stages["stage"], stages["cores"], strict=True))
    assert cores == {"gather_report": 1, "extract_features": 2, "train_agent": 1}
    hours = cost.core_hours(stages, seeds=10, points=5).loc["total"]
    assert hours[["once", "one seed", "all seeds", "sweep"]].tolist() == [2, 4, 2 + 40, 10 * 5 * 2]


def test_every_variant_of_the_study_is_a_point_of_its_sweep(benchmark):
    study = benchmark("study")
    config = load(study.swept(Path("results"), [0, 1]), config_model(tasks.sections(), kinds())).model_dump()
    made = {folders["results"] for folders, _ in sweep.modules(config).values()}
    for _, task, values in study.points():
        assert not values or str(study.folder(Path("results"), task, values, 3).parents[1]) in made
    assert study.point("cross-fitted features", "colors") is None
    assert study.point("cross-fitted features", "birds") == {"birds.head.folds": 5}


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
