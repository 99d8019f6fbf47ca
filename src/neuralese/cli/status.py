"""`neuralese status`: what has been made, from which data, what is out of date, and what it cost."""

from collections.abc import Sequence
from pathlib import Path

import click

from neuralese.cli.output import print_json, print_table
from neuralese.cli.results import Examples, Results, json_option, one_task_option, results_option
from neuralese.cli.stages import ALL, ELSEWHERE, ask_snakemake, costs_of, data_of, files_of, is_project
from neuralese.storage.errors import NeuraleseError

EXAMPLES = """
neuralese status
neuralese status --files --task colors
neuralese status --configfile config/paper.yaml
neuralese status --results results/quick --no-snakemake --json
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@results_option
@one_task_option
@click.option("--files", is_flag=True, help="List every file, with the reason if it is out of date.")
@click.option("--configfile", type=click.Path(path_type=Path), multiple=True, help="As passed to snakemake.")
@click.option(
    "--snakemake/--no-snakemake",
    "ask",
    default=True,
    show_default=True,
    help="Ask Snakemake what is out of date, if this folder has a Snakefile or a config.",
)
@json_option
def command(
    results: Path, task: str | None, files: bool, configfile: tuple[Path, ...], ask: bool, as_json: bool
) -> None:
    """Show what has been made, when, from which data, what is out of date, and what it cost.

    A file is out of date if Snakemake would remake it: its inputs, a setting or the code have changed.
    """
    folder = Results(results)
    if not folder.tasks():
        raise NeuraleseError(folder.nothing())
    if task and task not in folder.tasks():
        raise NeuraleseError(f"{results} holds no results of {task}; choose from {', '.join(folder.tasks())}.")
    asked = ask and is_project()
    plan = ask_snakemake(configfile) if asked else None
    data = [data_of(folder, each) for each in folder.tasks() if task in (None, each)]
    made = [entry for entry in files_of(folder, plan) if task in (None, entry["task"])]
    costs = [entry for entry in costs_of(folder) if task in (None, entry["task"])]
    if as_json:
        print_json({"folder": str(results), "asked_snakemake": asked, "data": data, "files": made, "costs": costs})
        return
    _print("Data", {"task": "task", "data": "data", "rows": "rows", "fetched": "fetched"}, data)
    click.echo()
    _print_files(made) if files else _print_runs(made)
    if not asked:
        click.echo("(To see what is out of date, run this where the Snakefile or a config of `neuralese init` is.)")
    if costs:
        click.echo()
        names = {"seconds": "mean seconds", "longest": "longest", "memory_mb": "peak memory (MB)"}
        _print("Cost per job", {"task": "task", "stage": "stage", "jobs": "jobs", **names}, costs)


def _print(title: str, names: dict[str, str], entries: Sequence[dict]) -> None:
    """The entries' values under the `names` of their columns."""
    print_table(list(names.values()), [[entry[key] for key in names] for entry in entries], title)


def _print_files(made: Sequence[dict]) -> None:
    names = {name: name for name in ("file", "state", "made", "reason")}
    _print("Files", names, made)


def _print_runs(made: Sequence[dict]) -> None:
    """One line for each task and seed."""
    rows = []
    for task, seed in dict.fromkeys((entry["task"], entry["seed"]) for entry in made):
        files = [entry for entry in made if (entry["task"], entry["seed"]) == (task, seed)]
        lists = {
            state: ", ".join(entry["stage"] for entry in files if entry["state"] == state)
            for state in ("missing", "out of date")
        }
        times = [entry["made"] for entry in files if entry["made"]]
        if times and all(entry["reason"] == ELSEWHERE for entry in files if entry["made"]):
            lists["out of date"] = f"({ELSEWHERE})"
        name = "tables" if task == ALL else f"{task} seed {seed}"
        rows.append({"run": name, "made": f"{len(times)} of {len(files)}", "last": max(times, default=""), **lists})
    names = {"run": "run", "made": "made", "last": "last made", "missing": "missing", "out of date": "out of date"}
    _print("Stages", names, rows)
