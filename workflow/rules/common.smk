"""Names and helpers that all rules share; no rule is defined here."""

import hashlib
from functools import cache
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

from neuralese.config import problem, typed
from neuralese.files import redate, unwritable

SOURCE = Path(workflow.basedir) / "src" / "neuralese"
SCHEMA = Path(workflow.basedir) / "workflow" / "schemas" / "config.schema.yaml"

config = typed(config)
if wrong := problem(config, yaml.safe_load(SCHEMA.read_text())):
    raise WorkflowError(wrong)

RESULTS = config["results"]
TASKS = config["tasks"]
SEEDS = config["seeds"]


@cache
def code(*rooms):
    """Hash the library rooms (or single modules) a job runs; as a param it makes an edit of them rerun the job and what follows."""
    digest = hashlib.sha256()
    for room in rooms:
        path = SOURCE / room
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.relative_to(SOURCE).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def game_tables(wildcards):
    """The tables of which a task's game is built."""
    names = (
        {"maps": "maps", "turns": "turns"}
        if wildcards.task == "driving"
        else {"item_table": "items"}
    )
    return {
        key: f"{RESULTS}/{wildcards.task}/{name}.parquet" for key, name in names.items()
    }


def trace_tables(wildcards):
    """The tables of a task's game, and of what humans said in it."""
    names = ["traces", "inventory"] + (
        ["games", "words"] if wildcards.task == "driving" else []
    )
    return game_tables(wildcards) | {
        name: f"{RESULTS}/{wildcards.task}/{name}.parquet" for name in names
    }


def max_steps(wildcards):
    """How long a task's games last at most."""
    return config["games"][
        "driving_steps" if wildcards.task == "driving" else "reference_steps"
    ]


def color_table(wildcards):
    """The colours themselves, where a task has them."""
    return (
        {"colors": f"{RESULTS}/colors/colors.parquet"}
        if wildcards.task == "colors"
        else {}
    )
