"""Results of another config, code, task or seed are noticed, whatever Snakemake remembers of them."""

import json
import shutil
from itertools import permutations
from pathlib import Path

import pytest
from copies import QUICK, Project, restored

from neuralese.pipeline.dependencies import makers, tasks_of
from neuralese.pipeline.made import check
from neuralese.pipeline.stages import STAGES
from neuralese.storage.errors import NeuraleseError
from neuralese.tasks.stages import SEED, TASK

DATA = {"download", "parse_colors", "parse_birds", "parse_driving", "extract_features", "train_head"}

TARGET = "results/quick/colors/seed1/belief_test.parquet"
TWO_SEEDS = [TARGET, *QUICK, "--config", "seeds=[0,1]", "tasks=[colors]"]


@pytest.fixture
def forgetful(project):
    """The project as `make clean` leaves it, or as its results are in another copy of it."""
    remembered = (project.folder / ".snakemake").rename(project.folder / "remembered")
    yield project
    shutil.rmtree(project.folder / ".snakemake", ignore_errors=True)
    remembered.rename(project.folder / ".snakemake")


def test_the_same_config_and_code_have_nothing_to_do_without_snakemakes_memory(forgetful):
    code, output = forgetful.snakemake("all", *QUICK)
    assert code == 0
    assert "Nothing to be done" in output
    assert "out of date" not in output


@pytest.mark.parametrize(
    ("config", "why", "planned", "kept"),
    [
        ("agent={noise: 0.9}", "cell.noise was 0.3 and is 0.9", {"train_agent", "write_report"}, DATA),
        ("agent={message: 32}", "cell.message was 64 and is 32", {"train_agent", "synthesise"}, DATA),
        ("data={source: real}", "source was embedded and is real", DATA | {"train_agent", "write_report"}, set()),
        ("evaluation={resamples: 300}", "resamples was 200 and is 300", {"evaluate_belief", "ablate"}, {"train_agent"}),
    ],
)
def test_another_config_makes_results_anew_without_snakemakes_memory(forgetful, config, why, planned, kept):
    would_run, output = forgetful.plan("all", *QUICK, "--config", config)
    assert why in output
    assert planned <= would_run
    assert not kept & would_run


def test_edited_code_makes_results_anew_without_snakemakes_memory(forgetful):
    for place in ("src/neuralese/evaluate/formats.py", "workflow/scripts/tabulate.py"):
        edited = forgetful.folder / place
        with restored(edited):
            edited.write_text(edited.read_text() + "\n")
            planned = forgetful.planned("all", *QUICK)
            assert "tabulate" in planned
            assert not {"train_agent", "evaluate_belief"} & planned


def kinds(results: Path, folders: list[str]) -> list[str]:
    """The files that all these folders have and that say what made them."""
    every = [{path.name for path in (results / folder).iterdir() if path.is_file()} for folder in folders]
    return sorted(name for name in set.intersection(*every) if not name.startswith("."))


def swap(one: Path, other: Path) -> None:
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def stages_of(names: list[str], task: str) -> set[str]:
    found = {name for file in names for name, _ in makers(file)}
    return {stage.name for stage in STAGES if stage.name in found and task in tasks_of(stage)}


def refused(path: Path, results: Path) -> bool:
    """Whether a job that reads a file says in one sentence that it is not the one that belongs there."""
    try:
        check(str(path), str(results))
    except NeuraleseError as error:
        return "\n" not in str(error)
    return False


@pytest.mark.parametrize("each", [SEED, TASK])
def test_files_swapped_between_tasks_are_refused_and_made_anew(project, each):
    within = "/seed0" if each == SEED else ""
    for one, other in (("colors", "birds"), ("birds", "driving"), ("colors", "driving")):
        names = kinds(project.quick, [one + within, other + within])
        assert len(names) > (12 if each == SEED else 4)
        paths = [project.quick / f"{task}{within}" / name for task in (one, other) for name in names]
        with restored(*paths):
            for name in names:
                swap(*(project.quick / f"{task}{within}" / name for task in (one, other)))
            assert all(refused(path, project.quick) for path in paths)
            planned = project.planned("all", *QUICK)
            assert stages_of(names, one) | stages_of(names, other) <= planned
        assert not any(refused(path, project.quick) for path in paths)


def test_a_swapped_table_is_made_as_it_was(project):
    paths = [project.quick / task / "seed0" / "bound.parquet" for task in ("colors", "birds")]
    before = [path.read_bytes() for path in paths]
    swap(*paths)
    code, output = project.snakemake("all", *QUICK)
    assert code == 0, output
    assert "bound.parquet (it was made as" in output
    assert [path.read_bytes() for path in paths] == before


def test_edited_provenance_stops_the_stage_that_reads_it(project):
    provenance = project.quick / "colors" / "provenance.json"
    bound = project.quick / "colors" / "seed0" / "bound.parquet"
    with restored(provenance, bound):
        provenance.write_text(provenance.read_text().replace('"source": "embedded"', '"source": "official"'))
        assert json.loads(provenance.read_text())["source"] == "official"
        target = str(bound.relative_to(project.folder))
        code, output = project.snakemake(target, "--allowed-rules", "measure_bound", "--force", *QUICK)
        assert code != 0
        assert "provenance.json was changed after it was made, or its disk is failing; delete it and run" in output
        assert "Traceback" not in output


@pytest.fixture(scope="module")
def two_seeds(project, tmp_path_factory) -> Project:
    """A copy of the project in which the colours have two seeds."""
    copied = Project(tmp_path_factory.mktemp("seeds"), project.forked)
    shutil.copytree(project.quick, copied.quick)
    code, output = copied.snakemake(*TWO_SEEDS)
    assert code == 0, output
    assert "rule download:" not in output
    return copied


def test_files_swapped_between_seeds_and_kinds_are_refused_and_made_anew(two_seeds):
    quick, folders = two_seeds.quick, ["colors/seed0", "colors/seed1"]
    names = kinds(quick, folders)
    assert len(names) > 12
    paths = [quick / folder / name for folder in folders for name in names]
    contents = {path: path.read_bytes() for path in paths}
    for one, other in permutations(paths, 2):
        if one.suffix == other.suffix:
            other.write_bytes(contents[one])
            assert refused(other, quick), (one, other)
            other.write_bytes(contents[other])
    with restored(*paths):
        for name in names:
            swap(*(quick / folder / name for folder in folders))
        config = ["--config", "seeds=[0,1]", "tasks=[colors]"]
        assert stages_of(names, "colors") <= two_seeds.planned(TARGET, *QUICK, *config)
