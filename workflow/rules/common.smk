"""Names and helpers that all rules share; no rule is defined here."""

from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

from neuralese.pipeline import imports, sweep
from neuralese.pipeline.check import problem, typed
from neuralese.pipeline.config import SCHEMA, complete
from neuralese.pipeline.dependencies import SECTIONS, tasks_with
from neuralese.pipeline.stages import DATA, SWEPT_FILES, WILDCARDS
from neuralese.storage.files import redate, unwritable

WORKFLOW = Path(str(workflow.current_basedir)).parent
SCRIPTS = WORKFLOW / "scripts"

config = complete(typed(config))
if wrong := problem(config, SCHEMA) or sweep.sweep_problem(config, SCHEMA):
    raise WorkflowError(wrong)

RESULTS = config["results"]
TASKS = config["tasks"]
SEEDS = config["seeds"]
SWEEP = config["sweep"]
# the folder of a point of a sweep, or of the run itself, where {point} is empty
POINT = f"{RESULTS}{{point}}"
# of the stages up to a training: the longest chains begin first, so that no core is idle at the end
FIRST = 1


@cache
def point_of(point=""):
    """The swept values that {point} stands for, and the config with them; the run itself has none."""
    values = sweep.named(point.removeprefix("/sweep/"), SWEEP)
    return values, sweep.overlay(config, values)


def at(wildcards):
    """The config of the point a job belongs to; every param of a rule that a sweep may run comes from it."""
    return point_of(wildcards.get("point", ""))[1]


def folder(values, sections, task):
    """The folder of those of a task's files that depend on these sections of the config, at a point."""
    values = sweep.relevant(values, sections, task, config)
    return f"{RESULTS}/sweep/{sweep.name(values)}" if values else RESULTS


def data(name):
    """An input among a task's data, shared by all points that do not change the data."""

    def path(wildcards):
        values, _ = point_of(wildcards.get("point", ""))
        return f"{folder(values, DATA, wildcards.task)}/{wildcards.task}/{name}"

    return path


def made(name):
    """An input that an earlier stage made for a task and seed, shared by all points it does not depend on."""

    def path(wildcards):
        values, _ = point_of(wildcards.get("point", ""))
        place = folder(values, SECTIONS[name], wildcards.task)
        return f"{place}/{wildcards.task}/seed{wildcards.seed}/{name}"

    return path


def of_every_seed(name):
    """Inputs that an earlier stage made for a task, of all seeds."""

    def paths(wildcards):
        values, _ = point_of(wildcards.get("point", ""))
        place = folder(values, SECTIONS[name], wildcards.task)
        return [f"{place}/{wildcards.task}/seed{seed}/{name}" for seed in SEEDS]

    return paths


def chosen(wildcards):
    """The input that says which member of each family of criteria was chosen for a task."""
    values, _ = point_of(wildcards.get("point", ""))
    place = folder(values, SECTIONS["criteria.parquet"], wildcards.task)
    return f"{place}/{wildcards.task}/criteria.parquet"


def shards_of(name, suffix):
    """Inputs that hold the shards of the bird images, as many as the config says."""

    def paths(wildcards):
        shards = at(wildcards)["birds"]["shards"]
        folder = f"{RESULTS}{wildcards.get('point', '')}/birds"
        return [
            f"{folder}/{name}_{shard}_of_{shards}.{suffix}" for shard in range(shards)
        ]

    return paths


def growing(first):
    """A resource that a retry asks more of, so that a job killed for its memory or time gets through."""
    return lambda wildcards, attempt: first * attempt


@cache
def code(script):
    """Hash the library modules that a script imports; as a param it makes an edit of one rerun the job and what follows."""
    return imports.digest(imports.imported(SCRIPTS / f"{script}.py"))


def embedded_code(wildcards):
    """Hash what generates a task's stand-in: real data is known by its digest, whatever code fetches it."""
    path = imports.SOURCE / "data" / "embedded" / f"{wildcards.task}.py"
    return imports.digest(imports.imported(path))


def game_tables(wildcards):
    """The tables of which a task's game is built."""
    names = (
        {"maps": "maps", "turns": "turns"}
        if wildcards.task == "driving"
        else {"item_table": "items"}
    )
    return {key: data(f"{name}.parquet")(wildcards) for key, name in names.items()}


def trace_tables(wildcards):
    """The tables of a task's game, and of what humans said in it."""
    names = ["traces", "inventory"] + (
        ["games", "words"] if wildcards.task == "driving" else []
    )
    return game_tables(wildcards) | {
        name: data(f"{name}.parquet")(wildcards) for name in names
    }


def max_steps(wildcards):
    """How long a task's games last at most."""
    return at(wildcards)["games"][
        "driving_steps" if wildcards.task == "driving" else "reference_steps"
    ]


def color_table(wildcards):
    """The colours themselves, where a task has them."""
    return (
        {"colors": data("colors.parquet")(wildcards)}
        if wildcards.task == "colors"
        else {}
    )


def swept_files(wildcards):
    """The files of every point that one table of the sweep is made of, each with the values of its point."""
    if not SWEEP:
        raise WorkflowError(
            "config: nothing is swept; add --configfile config/sweep_noise.yaml, or a 'sweep' of your own."
        )
    name = SWEPT_FILES[wildcards.table]
    return [
        (
            f"{folder(values, SECTIONS[name], task)}/{task}/seed{seed}/{name}",
            values,
        )
        for values in sweep.points(SWEEP)
        for task in TASKS
        if task in tasks_with(name)
        for seed in SEEDS
    ]


def faithful_comparison(wildcards):
    """The comparison that config/faithful.yaml made, where it was run beside this run."""
    path = f"{RESULTS}/faithful/tables/comparison.csv"
    return [path] if Path(path).exists() else []


def shown_tables(wildcards):
    """What a task's states look like, and the games to watch, where a task has them."""
    folder = f"{RESULTS}/{wildcards.task}"
    return {
        "birds": {"raw": f"{folder}/raw", "images": f"{folder}/images.parquet"},
        "driving": {"watched": f"{folder}/seed{wildcards.seed}/watched.parquet"},
    }.get(wildcards.task, {})
