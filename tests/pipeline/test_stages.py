"""The list of stages is that of the rules: names, files, jobs, and the sections of the config they look at."""

import os
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

from neuralese.pipeline.dependencies import (
    NAMED,
    SECTIONS,
    SWEPT_JOBS,
    before,
    makers,
    reads,
    sections,
    tasks_of,
    tasks_with,
)
from neuralese.pipeline.stages import PICTURES, STAGES, TASKS
from neuralese.tasks.stages import FOLDERS, RUN, SWEPT_FILES, Stage

ROOT = Path(__file__).parents[2]
POINT = "agent.noise=0.9"
SWEPT = ["--config", "results=planned", "sweep={agent.noise: [0.9]}"]
TARGETS = ["all", "sweep", *(f"planned/sweep/{table}.parquet" for table in SWEPT_FILES)]
PLACE = re.compile(rf"planned/(?:sweep/({POINT})/)?(?:({'|'.join(TASKS)})/(?:seed\d+/)?)?(.+)")
FILE = re.compile(rf"planned/(?:sweep/{POINT}/)?(?:logs|benchmarks)/(.+)\.\w+")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory) -> list[dict[str, list[str]]]:
    """The jobs that Snakemake plans for a run and a sweep of one point, and what it says of each."""
    folder = tmp_path_factory.mktemp("plan")
    for name in ("Snakefile", "workflow", "config", "profiles", "src"):
        (folder / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--dry-run", *TARGETS]
    command += ["--configfile", "config/quick.yaml", *SWEPT]
    variables = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    planned = []
    for line in done.stdout.splitlines():
        if begun := re.fullmatch(r"(?:local)?rule (\w+):", line):
            planned.append({"rule": [begun[1]]})
        elif planned and (told := re.fullmatch(r"    (\w+): (.*)", line)):
            planned[-1].setdefault(told[1], told[2].split(", "))
    return [job for job in planned if "benchmark" in job]


def rules() -> dict[str, str]:
    text = "\n".join(path.read_text() for path in sorted((ROOT / "workflow/rules").rglob("*.smk")))
    return dict(re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, flags=re.MULTILINE | re.DOTALL))


def general(text: str) -> str:
    """A path with braces for what is counted."""
    return re.sub(r"seed\d+", "seed{seed}", text)


def name(path: str) -> str:
    """A file without the folder of its task and seed."""
    return general(PLACE.fullmatch(path)[3])


def inputs(stage: Stage, tasks: tuple[str, ...]) -> set[str]:
    return {file for file in reads(stage, tasks) if set(tasks) & set(tasks_with(file))}


def task_of(job: dict[str, list[str]]) -> str | None:
    return PLACE.fullmatch(job["output"][0])[2]


def test_every_rule_with_a_script_is_a_stage_and_every_stage_is_one():
    assert {rule for rule, body in rules().items() if "script:" in body} == set(NAMED)
    assert len(NAMED) == len(STAGES)


def test_stages_stand_in_an_order_in_which_they_can_be_run_and_everything_read_is_made():
    seen = set()
    for stage in STAGES:
        assert before(stage.name) <= seen, stage.name
        assert all(makers(file) for file in reads(stage)), stage.name
        seen.add(stage.name)


def test_every_job_reads_and_makes_what_its_stage_says(jobs):
    # of tasks without rules of their own, and what is made only if it is asked for
    assert {job["rule"][0] for job in jobs} == set(NAMED) - {"prepare", "read_corpus", "fit_judges", "train_silent"}
    for job in jobs:
        stage, task = NAMED[job["rule"][0]], task_of(job)
        assert (task is None) == (stage.each == RUN), job
        tasks = (task,) if task else TASKS
        assert set(tasks) <= set(tasks_of(stage)), job
        folder = FOLDERS[stage.each].format(task=task, seed="{seed}")
        ran = general(FILE.fullmatch(job["benchmark"][0])[1]).removeprefix(folder)
        read = {SWEPT_FILES[Path(ran).name]} if stage.name == "tabulate_sweep" else inputs(stage, tasks)
        assert {name(path) for path in job.get("input", [])} == read, job
        made = {file for file, by in stage.made() if by == ran}
        figures = [figure.format(task=task, seed="{seed}") for figure in stage.figures]
        made |= {f"figures/{figure}.{ending}" for figure in figures for ending in PICTURES}
        assert {name(path) for path in job["output"]} == made, job


def test_a_job_is_named_for_its_stage_where_its_stage_puts_its_files(jobs):
    for job in jobs:
        stage, task = NAMED[job["rule"][0]], task_of(job)
        folder = FOLDERS[stage.each].format(task=task, seed="{seed}")
        names = {folder + by for _, by in stage.made()} or {stage.job}
        log, benchmark = (general(FILE.fullmatch(job[key][0])[1]) for key in ("log", "benchmark"))
        assert log == benchmark
        assert benchmark in names, job
        paths = [general(path) for path in job["output"] if "/figures/" not in path]
        assert all(
            re.match(rf"planned/(sweep/{POINT}/)?{re.escape(folder)}[^/]+$", path) for path in paths if folder
        ), job


def test_a_file_is_made_for_a_point_if_it_depends_on_what_is_swept(jobs):
    points = {}
    for job in jobs:
        for path in job["output"]:
            point, task, _ = PLACE.fullmatch(path).groups()
            if task and "/figures/" not in path:
                points.setdefault(name(path), set()).add(point)
    for file, found in points.items():
        swept = any(by in SWEPT_JOBS for _, by in makers(file)) and "agent" in SECTIONS[file]
        assert found == ({None, POINT} if swept else {None}), file


def test_a_stage_looks_at_the_sections_that_its_rule_takes_params_from():
    common = (ROOT / "workflow/rules/common.smk").read_text()
    helpers = {}
    for helper, body in re.findall(r"^def (\w+)\(.*?\):\n(.*?)(?=^\S|\Z)", common, flags=re.MULTILINE | re.DOTALL):
        helpers[helper] = looked_at(body) - {"seeds"}  # of which inputs there are several
    assert helpers["game"] == {"games"}
    for rule, stage in NAMED.items():
        body = rules()[rule]
        found = looked_at(body) - ({"seeds"} if "seeds" not in stage.sections else set())
        for helper, looks in helpers.items():
            found |= looks if re.search(rf"={helper}\b|\b{helper}\(", body) else set()
        assert set(stage.sections) == found, rule


def looked_at(text: str) -> set[str]:
    found = set(re.findall(r'(?:at\(wildcards\)|config)\["(\w+)"\]', text))
    for keys in re.findall(r"config_for\(([^)]*)\)", text):
        found |= set(re.findall(r'"(\w+)\.', keys))
    return found | {key for key, constant in {"seeds": "SEEDS", "sweep": "SWEEP"}.items() if constant in text}


def test_a_file_depends_on_the_sections_of_all_stages_before_it():
    assert SECTIONS["raw"] == {"data"}
    assert SECTIONS["human_speaker.safetensors"] == {"data", *TASKS, "speakers", "games"}
    assert SECTIONS["agent.safetensors"] == {"data", *TASKS, "games", "agent", "training"}
    assert SECTIONS["messages.parquet"] == SECTIONS["agent.safetensors"] | {"messages", "speakers"}
    for stage in STAGES:
        assert sections(stage.name) >= set(stage.sections).union(*map(sections, before(stage.name)))


def test_a_cluster_runs_every_stage_in_a_group_that_does_not_wait_for_itself_or_alone():
    groups = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())["groups"]
    assert set(NAMED) - set(groups) == {"download", "train_agent", "train_silent", "choose_criteria"}
    assert set(groups) <= set(NAMED)
    waits = {}
    for stage in NAMED:
        group = groups.get(stage, stage)
        waits.setdefault(group, set()).update({groups.get(one, one) for one in before(stage)} - {group})
    TopologicalSorter(waits).prepare()  # raises an error if there is a circle
