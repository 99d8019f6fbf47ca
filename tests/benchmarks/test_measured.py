import pytest
from measured import core_hours, measured_jobs, of_any_seed, read_benchmarks

from neuralese.storage.errors import NeuraleseError

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture
def results(tmp_path):
    """An hour of preparing on two cores, and trainings of one, two and nine hours."""

    def add(path, seconds, load, memory):
        file = tmp_path / "benchmarks" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{HEADER}{seconds}\t0:00:00\t{memory}\t-\t-\t-\t-\t-\t{load}\t1\n")

    add("birds/pool_images.tsv", 3600, 160.0, 900)
    for seed, hours in enumerate((1, 9, 2)):
        add(f"birds/seed{seed}/train_agent.tsv", 3600 * hours, 104.0, 500 + seed)
    add("birds/seed0/draw_examples.tsv", 7200, "-", "-")
    return tmp_path


def test_a_stage_costs_the_median_of_its_runs_on_the_cores_it_kept_busy(results):
    stages = read_benchmarks(results).set_index("stage")
    assert stages.loc["train_agent", ["runs", "seconds", "cores", "memory"]].tolist() == [3, 7200, 1, 502]
    assert stages["cores"].to_dict() == {"draw_examples": 1, "pool_images": 2, "train_agent": 1}
    assert stages["each_seed"].to_dict() == {"draw_examples": True, "pool_images": False, "train_agent": True}


def test_what_is_run_once_does_not_grow_with_seeds_and_a_sweep_repeats_what_depends_on_it(results):
    hours = core_hours(read_benchmarks(results), seeds=10, points=5).loc["total"]
    assert hours["once"] == 2
    assert hours["one seed"] == 4
    assert hours["all seeds"] == 2 + 40
    assert hours["sweep"] == 10 * 5 * 2  # trainings; examples are not drawn for every point


def test_without_benchmark_files_it_says_to_run_the_pipeline_first(tmp_path):
    with pytest.raises(NeuraleseError, match="run the pipeline first"):
        read_benchmarks(tmp_path)


def test_shards_of_a_stage_are_counted_one_by_one_and_are_not_seeds(tmp_path):
    for shard, seconds in enumerate((60, 180)):
        file = tmp_path / "benchmarks" / "birds" / "pool_images" / f"{shard}.tsv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{HEADER}{seconds}\t0:00:00\t900\t-\t-\t-\t-\t-\t100.0\t{seconds}\n")
    assert core_hours(read_benchmarks(tmp_path), seeds=10).loc["total", "all seeds"] == pytest.approx(240 / 3600)
    assert measured_jobs(tmp_path) == {"birds/pool_images/0": 60, "birds/pool_images/1": 180}


def test_a_job_takes_the_median_over_seeds_on_the_clock_that_is_asked_for(results):
    jobs = measured_jobs(results)
    assert jobs == {"birds/pool_images": 1, "birds/seed*/draw_examples": 1, "birds/seed*/train_agent": 1}
    assert measured_jobs(results, "s")["birds/seed*/train_agent"] == 7200


def test_a_job_too_short_for_its_processor_time_to_be_seen_takes_its_time_on_the_wall(tmp_path):
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "all.tsv").write_text(f"{HEADER}0.5\t0:00:00\t9\t-\t-\t-\t-\t-\t0.0\t-\n")
    assert measured_jobs(tmp_path) == {"all": 0.5}


def test_a_job_is_known_by_its_name_whatever_its_seed():
    assert of_any_seed("colors/seed12/train_agent") == "colors/seed*/train_agent"
    assert of_any_seed("birds/pool_images/3") == "birds/pool_images/3"
