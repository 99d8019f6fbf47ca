"""Names and helpers that all rules share; no rule is defined here."""

from functools import cache, reduce
from pathlib import Path

from snakemake.exceptions import WorkflowError

from neuralese import tasks

from neuralese.storage.errors import NeuraleseError

# before anything asks for the list of tasks
try:
    tasks.use_corpora(config.get("corpora") or {})
    tasks.every()
except NeuraleseError as error:
    raise WorkflowError(str(error)) from None

from neuralese.config.load import load, overlay, points
from neuralese.config.models import config_model
from neuralese.pipeline import sweep
from neuralese.pipeline.dependencies import (
    NAMED,
    SECTIONS,
    maker,
    makers,
    tasks_of,
    tasks_with,
)
from neuralese.pipeline.dependencies import reads as files_read
from neuralese.stages.run import CONFIG
from neuralese.storage.files import redate, unwritable, write_json
from neuralese.tasks.stages import RUN, SEED, SWEPT_FILES, WILDCARDS
from neuralese.translate.criteria import kinds
from neuralese.workflow import digest

try:
    config = load(config, config_model(tasks.sections(), kinds())).model_dump()
except NeuraleseError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results"]
TASKS = config["tasks"]
SEEDS = config["seeds"]
SWEEP = config["sweep"]
# the folder of a point of a sweep, or of the run itself if {point} is empty
POINT = f"{RESULTS}{{point}}"
# the longest chains begin first, so that no core is idle at the end: up to training, then those that tables wait for
FIRST, SECOND = 2, 1


@cache
def point_of(point=""):
    """The swept values that {point} stands for, and the config with them; the run itself has none."""
    values = sweep.named(point.removeprefix("/sweep/"), SWEEP)
    return values, overlay(config, values)


def at(wildcards):
    """The config of the point a job belongs to; every param of a rule that a sweep may run comes from it."""
    return point_of(wildcards.get("point", ""))[1]


def folder(values, sections, task):
    """The folder of a task's files that depend on these sections of the config, at a point."""
    values = sweep.relevant(values, sections, task, config)
    return f"{RESULTS}/sweep/{sweep.name(values)}" if values else RESULTS


def made(file, task, seeds, point=""):
    """Where a file of a task is, or those of some of its seeds; points of a sweep share what does not depend on them."""
    values, _ = point_of(point)
    place = f"{folder(values, SECTIONS[file], task)}/{task}"
    if maker(file, task).each == SEED:
        return [f"{place}/seed{seed}/{file}" for seed in seeds]
    return [f"{place}/{file}"]


def reads(name):
    """The inputs of a stage: those given by the list of stages, each file where its own stage puts it."""
    stage = NAMED[name]

    def of_the_run(wildcards):
        return [
            path
            for file in stage.reads
            if set(TASKS) & set(tasks_with(file))
            for path in (
                [f"{RESULTS}/{file}"]
                if NAMED[makers(file)[0][0]].each == RUN
                else [
                    path
                    for task in TASKS
                    if task in tasks_with(file)
                    for path in made(file, task, SEEDS)
                ]
            )
        ]

    def of_a_task(wildcards):
        task, point = wildcards.task, wildcards.get("point", "")
        seeds = [wildcards.seed] if stage.each == SEED else SEEDS
        return [
            path
            for file in files_read(stage, [task])
            for path in made(file, task, seeds, point)
        ]

    return of_the_run if stage.each == RUN else of_a_task


def corpus_files(wildcards):
    """The files of a corpus: editing one remakes everything that follows."""
    folder = Path(tasks.corpora()[wildcards.task])
    known = ("corpus.yaml", "states.*", "messages.*", "contexts.*", "utterances.*")
    return sorted(str(path) for name in known for path in folder.glob(name))


def config_for(*keys):
    """Param: the values of these keys of the config, dotted, each under the last part of its key."""
    return lambda wildcards: {
        key.split(".")[-1]: reduce(dict.__getitem__, key.split("."), at(wildcards))
        for key in keys
    }


def having(name):
    """The tasks that have a stage, for its rule's wildcard; a rule without any matches nothing."""
    return "|".join(tasks_of(NAMED[name])) or "^$"


def growing(first):
    """A resource that retries request more of, so that a job killed for its memory or time gets through."""
    return lambda wildcards, attempt: first * attempt


def code(script, task=""):
    """Hash the code that a script runs for a task, so that an edit reruns the job and what follows."""
    return lambda wildcards: code_of(script, task or wildcards.get("task", ""))


@cache
def code_of(script, task):
    """The same, for one task, or for all of the run."""
    # works for rules from a URL as well
    path = Path(workflow.source_path(f"../scripts/{script}.py"))
    return digest(path, [task] if task else TASKS)


def embedded_code(wildcards):
    """Hash what generates a task's stand-in: real data is identified by its digest, whatever code fetches it."""
    return digest(None, [wildcards.task], ["embed"])


def game(wildcards):
    """The rules of a task's game."""
    return at(wildcards)["games"][wildcards.task]


def swept_files(wildcards):
    """The files of every point that one table of the sweep is made from, each with the values of its point."""
    if not SWEEP:
        raise WorkflowError(
            "config: nothing is swept; add --configfile config/sweep_noise.yaml, or your own 'sweep'."
        )
    name = SWEPT_FILES[wildcards.table]
    return [
        (
            f"{folder(values, SECTIONS[name], task)}/{task}/seed{seed}/{name}",
            values,
        )
        for values in points(SWEEP)
        for task in TASKS
        if task in tasks_with(name)
        for seed in SEEDS
    ]


def faithful_comparison(wildcards):
    """The comparison made by config/faithful.yaml, if that was run next to this run."""
    path = f"{RESULTS}/faithful/tables/comparison.csv"
    return [path] if Path(path).exists() else []
