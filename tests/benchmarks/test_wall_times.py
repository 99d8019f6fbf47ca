"""Wall times are simulated over the jobs that Snakemake itself plans."""

import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
TOLD = """
Building DAG of jobs...
Job stats:
job      count
total        4

[Tue Nov 17 08:39:39 2026]
rule cut:
    output: planned/birds/images
    jobid: 3
    benchmark: planned/benchmarks/birds/cut.tsv
    reason: Forced execution
    priority: 1
    resources: tmpdir=/tmp, mem_mb=1000
[Tue Nov 17 08:39:39 2026]
rule pool:
    input: planned/birds/images, elsewhere/weights
    output: planned/birds/pooled/0.parquet, planned/birds/failed/0.json
    jobid: 1
    benchmark: planned/benchmarks/birds/pool/0.tsv
    wildcards: shard=0
    threads: 2
[Tue Nov 17 08:39:39 2026]
rule train:
    input: planned/birds/pooled/0.parquet, planned/birds/failed/0.json
    output: planned/birds/seed7/agent
    benchmark: planned/benchmarks/birds/seed7/train.tsv
[Tue Nov 17 08:39:39 2026]
localrule all:
    input: planned/birds/seed7/agent
    jobid: 0
Job stats:
job      count
total        4
"""


@pytest.fixture
def cost(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("cost")


def test_jobs_get_their_times_by_their_benchmark_files_and_wait_for_who_makes_their_inputs(cost):
    measured = {"birds/cut": 3.0, "birds/seed*/train": 60.0, "birds/pool/0": 10.0}
    jobs, unknown = cost.timed(cost.parsed(TOLD), measured)
    assert unknown == []
    assert jobs == [
        cost.Job("birds/cut", 3.0, (), priority=1),
        cost.Job("birds/pool/0", 5.0, ("birds/cut",), cores=2),  # ten seconds of the processor, on two cores
        cost.Job("birds/seed7/train", 60.0, ("birds/pool/0",)),
        cost.Job("all", 0.0, ("birds/seed7/train",)),
    ]
    assert cost.simulated(jobs, [1, 2]) == pytest.approx(
        {"processor": 73 / 60, "longest chain": 68 / 60, "1 core": 68 / 60, "2 cores": 68 / 60}
    )


def test_jobs_that_were_not_measured_are_named(cost):
    jobs, unknown = cost.timed(cost.parsed(TOLD), {"birds/cut": 3.0})
    assert unknown == ["birds/pool/0", "birds/seed7/train"]
    assert sum(job.seconds for job in jobs) == 3


def test_two_runs_stand_beside_each_other_over_the_plan_of_the_pipeline(cost, tmp_path, capsys, monkeypatch):
    planned = cost.plan(ROOT, seeds=1)
    monkeypatch.setattr(cost, "plan", lambda *_: planned)
    names = [cost.named(job) for job in planned if "benchmark" in job]
    assert len(set(names)) == len(names) > 45
    for run, seconds in (("old", 60), ("new", 30)):
        for name in names:
            file = tmp_path / run / "benchmarks" / f"{name}.tsv"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{HEADER}1\t0:00:01\t9\t-\t-\t-\t-\t-\t1.0\t{seconds}\n")
    cost.compare({"before": (ROOT, tmp_path / "old"), "after": (ROOT, tmp_path / "new")}, 1, [1, 1000], [])
    said = capsys.readouterr()
    assert said.err == ""
    rows = {
        line.rsplit(maxsplit=2)[0].strip(): line.split()[-2:] for line in said.out.splitlines() if line[:1].isalnum()
    }
    assert rows["processor"] == rows["1 core"] == [f"{len(names):.1f}", f"{len(names) / 2:.1f}"]
    assert rows["longest chain"] == rows["1000 cores"]
    chain = said.out.split("the longest chain of one seed, before: seconds\n")[1].split("\n\n")[0]
    assert "/download" in chain.splitlines()[0]
    assert any("seed0/train_agent" in line for line in chain.splitlines())
    assert chain.splitlines()[-1].endswith(("report/write", "tables/draw"))  # which take as long here


def test_a_project_that_cannot_be_planned_is_told_of_with_what_snakemake_says(cost, tmp_path):
    (tmp_path / "Snakefile").write_text("rule all:\n    input: 'nobody-makes-this'\n")
    with pytest.raises(cost.NeuraleseError, match="nobody-makes-this"):
        cost.plan(tmp_path, seeds=1)


def test_a_stage_is_scaled_by_the_sizes_it_grows_with_and_by_the_seeds(cost):
    seconds = {
        "colors/seed*/train_agent": 3600.0,
        "birds/seed*/score_dictionary": 36.0,
        "birds/extract_features": 3600.0,
        "birds/parse": 360.0,
    }
    exponents = dict.fromkeys(cost.SCORES, (1.0, 0.3)) | {"pool images": (2.0, 0.1)}
    table = cost.enlarged(seconds, exponents, seeds=2, times=10).set_index("stage")
    assert table["now"].to_dict() == pytest.approx(
        {"train_agent": 2, "score_dictionary": 0.02, "extract_features": 1, "parse": 0.1, "all": 3.12}
    )
    assert table["then"].to_dict() == pytest.approx(
        {"train_agent": 20, "score_dictionary": 200, "extract_features": 100, "parse": 1, "all": 321}
    )
    assert table.loc["score_dictionary", "error"] == pytest.approx(0.3 * 3**0.5)
    assert table["measured"].to_dict()["parse"] == ""


def test_stages_are_said_to_grow_by_works_that_are_measured_and_stages_that_there_are(cost):
    growth = importlib.import_module("growth")
    assert {work for works in cost.GROWS.values() for work in works} <= set(growth.GROWTHS)
    rules = "".join(path.read_text() for path in (ROOT / "workflow/rules").rglob("*.smk"))
    for stage in cost.GROWS:
        assert stage.replace("speaker", "{{model}}").replace("listener", "{{model}}") in rules or stage in rules


def test_without_a_benchmark_of_growth_it_says_to_make_one(cost, tmp_path, monkeypatch):
    monkeypatch.setattr(cost, "RESULTS", tmp_path / "results.json")
    with pytest.raises(cost.NeuraleseError, match="make bench"):
        cost.known_exponents()
