"""Core hours of larger runs follow from the benchmark files of one."""

import importlib
from pathlib import Path

import pytest

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture
def cost(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("cost")


@pytest.fixture
def results(tmp_path):
    """An hour of features on two cores, and trainings of one, two and nine hours."""

    def add(path, seconds, load, memory):
        file = tmp_path / "benchmarks" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{HEADER}{seconds}\t0:00:00\t{memory}\t-\t-\t-\t-\t-\t{load}\t1\n")

    add("birds/extract_features.tsv", 3600, 160.0, 900)
    for seed, hours in enumerate((1, 9, 2)):
        add(f"birds/seed{seed}/train_agent.tsv", 3600 * hours, 104.0, 500 + seed)
    add("birds/seed0/gather_report.tsv", 7200, "-", "-")
    add("sweep/tabulate_sweep.tsv", 3600, 100.0, 1)
    return tmp_path


def test_a_stage_costs_the_median_of_its_runs_on_the_cores_it_kept_busy(cost, results):
    stages = cost.read_benchmarks(results).set_index("stage")
    assert stages.loc["train_agent", ["runs", "seconds", "cores", "memory"]].tolist() == [3, 7200, 1, 502]
    assert stages["cores"].to_dict() == {"gather_report": 1, "extract_features": 2, "train_agent": 1}
    assert stages["each_seed"].to_dict() == {"gather_report": True, "extract_features": False, "train_agent": True}


def test_what_is_run_once_does_not_grow_with_seeds_and_a_sweep_repeats_what_depends_on_it(cost, results):
    hours = cost.core_hours(cost.read_benchmarks(results), seeds=10, points=5).loc["total"]
    assert hours["once"] == 2
    assert hours["one seed"] == 4
    assert hours["all seeds"] == 2 + 40
    assert hours["sweep"] == 10 * 5 * 2  # trainings; the report is not repeated for every point


def test_without_benchmark_files_it_says_to_run_the_pipeline_first(cost, tmp_path):
    with pytest.raises(cost.NeuraleseError, match="run the pipeline first"):
        cost.read_benchmarks(tmp_path)
