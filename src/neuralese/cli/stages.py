"""What the stages of the workflow have made in a results folder, from which data, and at what cost."""

import csv
import math
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from neuralese.cli.results import Results
from neuralese.pipeline.dependencies import reads, tasks_with
from neuralese.pipeline.packaged import CONFIG, snakemake_command
from neuralese.pipeline.stages import STAGES
from neuralese.sources.provenance import read_provenance
from neuralese.storage.errors import NeuraleseError
from neuralese.tasks.stages import SEED


def _shown() -> Iterator[str]:
    """The first file of each stage that is run per task and seed; for splits and models, those that are read."""
    read = {file for stage in STAGES for file in reads(stage)}
    for stage in STAGES:
        if stage.each == SEED:
            first = [file for file, _ in stage.made(stage.files[:1])]
            yield from first if len(first) == 1 else [file for file in first if file in read]


# what is shown for a task and seed, in the order in which stages can run, and for all tasks and seeds together
FILES = {Path(file).stem.removesuffix("_test").replace("_", " "): file for file in _shown()}
TABLES = {
    Path(file).stem: file
    for stage in STAGES
    for file in stage.files
    if file.startswith("tables/") and file.endswith(".parquet")
}
OPTIONAL = {file for stage in STAGES if stage.optional for file in stage.files}
ALL = "all"  # the task of a table of all tasks
ELSEWHERE = "not of this config"  # why Snakemake does not mention a file

Plan = Mapping[str, tuple[str, str]]  # path -> what has changed, and whether it will be remade


def data_of(results: Results, task: str) -> dict:
    """The data a task's results were made from."""
    path = results.folder / task / "provenance.json"
    known = read_provenance(path) if path.exists() else {}
    rows = ", ".join(f"{count} {name}" for name, count in known.get("rows", {}).items())
    names = {"data": "source", "fetched": "time", "set": "data_set"}
    return {"task": task, "rows": rows} | {name: known.get(key, "unknown") for name, key in names.items()}


def files_of(results: Results, plan: Plan | None) -> Iterator[dict]:
    """One entry for each file of the tasks and seeds that exists or is asked for.

    Without a plan it is not known what is asked for, and every file counts but those that few configs ask for.
    """
    for task, seed, stage, path in _paths(results):
        if path.exists() or (path.name not in OPTIONAL if plan is None else os.path.relpath(path) in plan):
            yield {"task": task, "seed": seed, "stage": stage, **_state(path, plan)}


def _paths(results: Results) -> Iterator[tuple[str, int | None, str, Path]]:
    """Task, seed, stage and place of every file that is shown."""
    tasks = results.tasks()
    for task in tasks:
        for seed in results.seeds(task):
            for stage, name in FILES.items():
                if task in tasks_with(name):
                    yield task, seed, stage, results.folder / task / f"seed{seed}" / name
    for stage, name in TABLES.items():
        if set(tasks) & set(tasks_with(name)):
            yield ALL, None, stage, results.folder / name


def _state(path: Path, plan: Plan | None) -> dict:
    if not path.exists():
        return {"file": str(path), "state": "missing", "made": None, "reason": ""}
    made = datetime.fromtimestamp(path.stat().st_mtime).strftime("%Y-%m-%d %H:%M")
    changed, pending = ("", "") if plan is None else plan.get(os.path.relpath(path), (ELSEWHERE, ""))
    if pending == "update pending":
        reason = "it, or what it is made from, is out of date" if changed == "ok" else changed
        return {"file": str(path), "state": "out of date", "made": made, "reason": reason}
    return {"file": str(path), "state": "made", "made": made, "reason": changed if changed == ELSEWHERE else ""}


def is_project() -> bool:
    """Whether the current folder can run the workflow: it is a checkout, or has a config."""
    return Path("Snakefile").exists() or CONFIG.exists()


def ask_snakemake(configfiles: Sequence[Path]) -> Plan:
    """What Snakemake would remake, out of everything that the workflow in the current folder makes."""
    given = ["--configfile", *map(str, configfiles)] if configfiles else []
    asked = ["--summary", *given]
    command = [sys.executable, "-m", "snakemake", *asked] if Path("Snakefile").exists() else snakemake_command(asked)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise NeuraleseError(
            f"Snakemake could not say what is out of date ({said[-1] if said else 'it said nothing'}); run "
            f"snakemake --summary to see why, or skip this check with --no-snakemake."
        )
    rows = csv.DictReader(done.stdout.splitlines(), delimiter="\t")
    return {row["output_file"]: (row["status"], row["plan"]) for row in rows}


def costs_of(results: Results) -> list[dict]:
    """Seconds and memory of the jobs of each task and stage, from their benchmarks."""
    jobs = defaultdict(list)
    folder = results.folder / "benchmarks"
    for path in sorted(folder.rglob("*.tsv")):
        try:
            with path.open(newline="") as file:
                rows = [_measured(row) for row in csv.DictReader(file, delimiter="\t")]
        except (OSError, ValueError, csv.Error):
            raise NeuraleseError(f"{path} is not a benchmark of Snakemake's; delete it.") from None
        jobs[path.relative_to(folder).parts[0], path.stem].extend(rows)
    costs = [_cost(task, stage, rows) for (task, stage), rows in jobs.items() if rows]
    return sorted(costs, key=lambda cost: (cost["task"], -cost["seconds"]))


def _measured(row: dict) -> tuple[float, float | None]:
    """Seconds and megabytes of a job; Snakemake measures no memory for a short one."""
    memory = row.get("max_rss") or ""
    found = float(row.get("s") or "nan"), None if memory in ("-", "NA", "") else float(memory)
    if not all(math.isfinite(value) for value in found if value is not None):
        raise ValueError
    return found


def _cost(task: str, stage: str, rows: list[tuple[float, float | None]]) -> dict:
    seconds = [time for time, _ in rows]
    memory = [most for _, most in rows if most is not None]
    mean, longest = (round(value, 1) for value in (sum(seconds) / len(seconds), max(seconds)))
    most = round(max(memory)) if memory else None
    return {"task": task, "stage": stage, "jobs": len(rows), "seconds": mean, "longest": longest, "memory_mb": most}
