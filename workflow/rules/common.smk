"""Names and functions shared by the rules."""

import os
from functools import reduce
from pathlib import Path

from snakemake.exceptions import WorkflowError

from neuralese import tasks
from neuralese.config import sweep
from neuralese.config.load import load, points
from neuralese.config.models import config_model
from neuralese.stages.run import CONFIG
from neuralese.errors import NeuraleseError
from neuralese.storage.files import unwritable, write_json
from neuralese.translate.criteria import kinds
from neuralese.workflow import digest

# the layers that this run makes; a point of a sweep takes the others from elsewhere
LAYERS = config.get("layers", ["raw", "data", "humans", "agents"])

try:
    tasks.use_corpora(config.get("corpora") or {})
    given = {key: value for key, value in config.items() if key != "layers"}
    config = load(given, config_model(tasks.sections(), kinds())).model_dump()
except NeuraleseError as error:
    raise WorkflowError(str(error)) from None

RESULTS = config["results"]
TASKS = config["tasks"]
SEEDS = config["seeds"]
POINTS = points(config["sweep"])
# rule files of tasks, for these layers
RULES = dict.fromkeys(
    str(path) for task in tasks.every() for layer, path in task.rules.items() if layer in (*LAYERS, "results")
)
# priorities that start the longest chains first: stages up to the training, then those before the tables
FIRST, SECOND = 2, 1


def among(names):
    """A pattern that matches one of these names, or nothing if there are none."""
    return "|".join(names) or "(?!)"


def tasks_with(stage, names=TASKS):
    """The tasks with an optional stage, such as `relay`."""
    return [name for name in names if stage in tasks.get(name).stages]


def files_of(role):
    """Input: the files of a task for a role: game, human, robot, history, judge, variables, pictures, watched."""
    return lambda wildcards: [file.format(**wildcards) for file in tasks.get(wildcards.task).files[role]]


def corpus_files(wildcards):
    """Input: the files of a corpus."""
    folder = Path(tasks.corpora()[wildcards.task])
    known = ("corpus.yaml", "states.*", "messages.*", "contexts.*", "utterances.*")
    return sorted(str(path) for name in known for path in folder.glob(name))


def of_seeds(file, names=TASKS):
    """Input: a file of every task and seed."""
    return expand(f"<results>/{{task}}/seed{{seed}}/{file}", task=names, seed=SEEDS)


def swept(file, names=TASKS):
    """Input: a file of every point of the sweep, task and seed."""
    return [
        f"{sweep.point_folders(point, task, config)['results']}/{task}/seed{seed}/{file}"
        for point in POINTS
        for task in names
        for seed in SEEDS
    ]


def swept_tables(wildcards):
    """Input: the tables of the sweep; an error without a sweep."""
    if not POINTS:
        raise WorkflowError("config: nothing is swept; add --configfile config/sweep_noise.yaml, or your own 'sweep'.")
    return rules.tabulate_sweep.output


def setting(key):
    """Param: the value of a dotted key of the config; {task} stands for the task of the job."""
    return lambda wildcards: reduce(dict.__getitem__, key.format(**wildcards).split("."), config)


def config_for(*keys):
    """Param: the values of these keys, named by the last part of each key."""
    return lambda wildcards: {key.split(".")[-1]: setting(key)(wildcards) for key in keys}


def growing(first):
    """Resource: an amount that grows with each attempt, since a job may be killed for its memory or time."""
    return lambda wildcards, attempt: first * attempt


def code(script, task=""):
    """Param: a digest of the code that a script runs, so that an edit reruns its stages."""
    # source_path also works for rules from a URL
    path = Path(workflow.source_path(f"../scripts/{script}.py"))
    return lambda wildcards: digest(path, tuple([each] if (each := task or wildcards.get("task")) else TASKS))


def embedded_code(wildcards):
    """Param: a digest of the code that generates a task's stand-in data; real data has digests of its content."""
    return digest(None, (wildcards.task,), ("embed",))
