"""`neuralese status`: what has been made, and what is out of date."""

import csv
import re
import subprocess
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path

import click

from neuralese.cli.output import print_json, print_table
from neuralese.cli.results import Examples, Results, json_option
from neuralese.cli.run import snakemake_command
from neuralese.errors import NeuraleseError

EXAMPLES = """
neuralese status
neuralese status --files
neuralese status --configfile paper
neuralese status --configfile quick --json
"""
MADE, MISSING, OUT_OF_DATE = "made", "missing", "out of date"


@click.command(
    cls=Examples,
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--help"]},
)
@click.option(
    "--results",
    envvar="NEURALESE_RESULTS",
    show_envvar=True,
    metavar="FOLDER",
    help="Folder written by the workflow, if not that of the config.",
)
@click.option("--files", is_flag=True, help="List every file, with the reason if it is out of date.")
@json_option
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[SNAKEMAKE ARGS]...")
def status(results: str | None, files: bool, as_json: bool, arguments: tuple[str, ...]) -> None:
    """Show what has been made, when, and what is out of date.

    Give it the arguments of the run, such as its --configfile. A file is out of date if Snakemake would remake it: its
    inputs, a setting or the code have changed.
    """
    asked, place = snakemake_command(
        ["--summary", *(["--config", f"results={results}"] if results else []), *arguments]
    )
    if not Results(Path(place)).tasks():
        raise NeuraleseError(f"{place} holds no results yet; make them with: neuralese run")
    made = ask_snakemake(asked, Path(place))
    if as_json:
        print_json({"folder": place, "files": made})
        return
    if files:
        names = ("file", "stage", "state", "made", "reason")
        print_table(names, [[entry[name] for name in names] for entry in made], "Files")
    else:
        print_table(["run", MADE, "last made", MISSING, OUT_OF_DATE], list(_runs(made)), "Stages")
    pending = sum(entry["state"] != MADE for entry in made)
    click.echo(f"{pending} of {len(made)} files are to be made." if pending else "Everything is there and up to date.")


def _runs(made: Sequence[dict]) -> Iterator[list[str]]:
    """One line for each task, for each of its seeds, and for each folder of what is made for all tasks."""
    for run, group in groupby(sorted(made, key=lambda entry: entry["run"]), lambda entry: entry["run"]):
        entries = list(group)
        missing, old = (
            list(dict.fromkeys(each["stage"] for each in entries if each["state"] == state))
            for state in (MISSING, OUT_OF_DATE)
        )
        known = {each["stage"] for each in entries}
        last = max((each["made"] for each in entries if each["made"]), default="")
        yield [run, f"{len(known.difference(missing))} of {len(known)}", last, ", ".join(missing), ", ".join(old)]


def ask_snakemake(asked: Sequence[str], results: Path) -> list[dict]:
    """What Snakemake says about each file that the workflow makes."""
    done = subprocess.run(asked, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise NeuraleseError(
            f"Snakemake could not say what is out of date ({said[-1] if said else 'it said nothing'}); "
            "to see why, run: neuralese run --summary"
        )
    rows = csv.DictReader(done.stdout.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [_entry(row, results) for row in rows]


def _entry(row: dict[str, str], results: Path) -> dict:
    path = Path(row["output_file"])
    task, *inner = path.relative_to(results).parts if path.is_relative_to(results) else path.parts
    run = f"{task} seed {inner[0][4:]}" if inner and re.fullmatch(r"seed\d+", inner[0]) else task
    pending = row["plan"] == "update pending"
    state = MADE if not pending else MISSING if row["status"] == "missing" else OUT_OF_DATE
    made = None if row["date"] == "-" else datetime.strptime(row["date"], "%a %b %d %H:%M:%S %Y")
    reason = "what it is made from is out of date" if row["status"] == "ok" else row["status"]
    return {
        "file": str(path),
        "run": run,
        "stage": row["rule"],
        "state": state,
        "made": made and f"{made:%Y-%m-%d %H:%M}",
        "reason": reason if pending else "",
    }
