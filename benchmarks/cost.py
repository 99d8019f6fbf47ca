"""The cost of a run, computed from the benchmark files of a finished one.

python benchmarks/cost.py results --seeds 1000                         # core hours
python benchmarks/cost.py results --seeds 1 --points 500               # a sweep of 500 configs
python benchmarks/cost.py results --seeds 5 --cores 1 2 4 8 16         # also wall times, and the longest chain of jobs
python benchmarks/cost.py results --cores 2 8 --before old --before-project ../checkout-of-old
python benchmarks/cost.py results --seeds 5 --times 10                 # if everything were ten times as large

Wall times are simulated: jobs are those that Snakemake plans, each takes its measured processor time (the median
over seeds), and a free core takes the ready job of the highest priority. Ties are broken at
random: what is shown is the median over several orders. Snakemake's own start and waiting for disks come on
top.

Ten times as large applies to contexts, messages, phrases, images, corpora and seeds. Each stage is scaled
by the exponents of benchmarks/results.json (`make bench`) for the sizes it grows with; new messages and phrases are
taken to grow like scoring, and stages without a measured exponent in proportion.
"""

import argparse
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
from measured import core_hours, measured_jobs, of_any_seed, read_benchmarks
from schedule import Job, critical_path, wall_time

from neuralese.storage.errors import NeuraleseError

PROJECT = Path(__file__).resolve().parents[1]
ORDERS = 15  # number of orders tried for jobs of equal priority
PARTS = ("Snakefile", "workflow", "config", "profiles", "src")  # of a checkout, that Snakemake needs to plan
PLANNED = "planned"  # a results folder that does not exist, so that everything is planned
RESULTS = Path(__file__).parent / "results.json"
SCORES = ("score, contexts", "score, messages", "score, phrases")
GROWS = {  # the works in growth.py that a stage grows like; a training and a fit take the steps they are given
    "train_agent": (),
    "fit_human_models": ("fit human speaker",),
    "fit_robot_speaker": ("speak",),
    "extract_features": ("pool images",),
    "train_head": ("train head",),
    "ablate": SCORES,
    "score_dictionary": SCORES,
    "synthesise": SCORES,
    "choose_criteria": ("choose criteria",),
    "tabulate": ("tables",),
}
Planned = Mapping[str, list[str]]  # a job of a dry run: its rule, and its other fields


def plan(project: Path, seeds: int, configfiles: Sequence[str] = ()) -> list[Planned]:
    """All jobs of a run as Snakemake plans them, in a separate folder: even a dry run writes where it is started."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--dry-run", "--forceall", "all"]
    command += ["--configfile", *(str(Path(path).resolve()) for path in configfiles)] if configfiles else []
    command += ["--config", f"results={PLANNED}", f"seeds={list(range(seeds))}"]
    paths = os.pathsep.join(filter(None, [str(project / "src"), os.environ.get("PYTHONPATH")]))
    with tempfile.TemporaryDirectory() as folder:
        for name in PARTS:
            (Path(folder) / name).symlink_to(project / name)
        given = {"cwd": folder, "env": os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}}
        ran = subprocess.run(command, **given, capture_output=True, text=True)
    if ran.returncode:
        raise NeuraleseError(f"Snakemake cannot plan a run in {project}:\n{ran.stdout}{ran.stderr}")
    return parsed(ran.stdout)


def parsed(text: str) -> list[Planned]:
    """The jobs listed by a dry run."""
    jobs = []
    for line in text.splitlines():
        if begun := re.fullmatch(r"(?:local)?(?:rule|checkpoint) (\w+):", line):
            jobs.append({"rule": [begun[1]]})
        elif jobs and (told := re.fullmatch(r"    (\w+): (.*)", line)):
            jobs[-1].setdefault(told[1], told[2].split(", "))
    return jobs


def named(job: Planned) -> str:
    """A job's benchmark file without folder and suffix; for one without a file, which does nothing, its rule."""
    if "benchmark" not in job:
        return job["rule"][0]
    return job["benchmark"][0].removeprefix(f"{PLANNED}/benchmarks/").removesuffix(".tsv")


def timed(planned: Sequence[Planned], seconds: Mapping[str, float]) -> tuple[list[Job], list[str]]:
    """The jobs with their measured times; and those that were not measured, which count as nothing."""
    makers = {path: named(job) for job in planned for path in job.get("output", [])}
    jobs, unknown = [], []
    for job in planned:
        name, threads = named(job), int(job.get("threads", ["1"])[0])
        taken = seconds.get(of_any_seed(name), 0.0)
        if "benchmark" in job and of_any_seed(name) not in seconds:
            unknown.append(name)
        after = dict.fromkeys(makers[path] for path in job.get("input", []) if path in makers)
        jobs.append(Job(name, taken / threads, tuple(after), int(job.get("priority", ["0"])[0]), threads))
    return jobs, unknown


def simulated(jobs: Sequence[Job], cores: Sequence[int]) -> dict[str, float]:
    """Minutes of processor time, of the longest chain, and of wall time with each number of cores."""
    minutes = {"processor": sum(job.seconds * job.cores for job in jobs)}
    minutes["longest chain"] = sum(job.seconds for job in critical_path(jobs))
    jobs, chance = sorted(jobs, key=lambda job: job.name), random.Random(0)
    orders = [chance.sample(jobs, len(jobs)) for _ in range(ORDERS)]
    for number in cores:
        name = f"{number} core{'s' * (number > 1)}"
        minutes[name] = statistics.median(wall_time(order, number) for order in orders)
    return {name: value / 60 for name, value in minutes.items()}


def compare(runs: Mapping[str, tuple[Path, str]], seeds: int, cores: Sequence[int], configs: Sequence[str]) -> None:
    """Print wall times of one seed and of all, and the longest chain of one, for each (project, results) by name."""
    table, chains = {}, {}
    for name, (project, results) in runs.items():
        seconds = measured_jobs(results)
        for count in sorted({1, seeds}):
            planned = plan(project, count, configs)
            jobs, unknown = timed(planned, seconds)
            table[f"{count} seed{'s' * (count > 1)}", name] = simulated(jobs, cores)
            chains.setdefault(name, critical_path(jobs))
        if unknown:
            print(f"{name}: not measured, counted as nothing: {', '.join(unknown)}", file=sys.stderr)
        if idle := sorted(set(seconds) - {of_any_seed(job.name) for job in jobs}):
            print(f"{name}: measured, but no longer planned: {', '.join(idle)}", file=sys.stderr)
    print("\nminutes")
    print(pd.DataFrame(table).to_string(float_format="{:,.1f}".format))
    for name, path in chains.items():
        print(f"\nthe longest chain of one seed, {name}: seconds")
        print("\n".join(f"{job.seconds:8.1f}  {job.name}" for job in path if job.seconds))


def enlarged(
    seconds: Mapping[str, float], exponents: Mapping[str, tuple[float, float]], seeds: int, times: float
) -> pd.DataFrame:
    """Processor hours of each stage of all tasks and seeds now, and if everything were `times` as large.

    `exponents` are those of the works in growth.py, with their standard errors.
    """
    rows = {}
    for job, taken in seconds.items():
        stage = re.sub(r"[/_-]?\d+$", "", job.partition("/")[2].removeprefix("seed*/"))
        works = [exponents[work] for work in GROWS[stage]] if stage in GROWS else [(1.0, 0.0)]
        row = rows.setdefault(stage, {"stage": stage, "now": 0.0, "then": 0.0})
        row["measured"] = "yes" if GROWS.get(stage) else ""
        row["exponent"] = sum(exponent for exponent, _ in works)
        row["error"] = math.hypot(*(error for _, error in works))
        each = "seed*/" in job
        row["now"] += taken / 3600 * (seeds if each else 1)
        row["then"] += taken / 3600 * (seeds * times if each else 1) * times ** row["exponent"]
    table = pd.DataFrame(rows.values()).sort_values("then", ascending=False)
    table = table[["stage", "exponent", "error", "measured", "now", "then"]]
    total = {"stage": "all", "now": table["now"].sum(), "then": table["then"].sum()}
    return pd.concat([table, pd.DataFrame([total])], ignore_index=True)


def known_exponents() -> dict[str, tuple[float, float]]:
    """The exponents found last, with their standard errors."""
    subjects = json.loads(RESULTS.read_text())["subjects"] if RESULTS.exists() else {}
    found = {row["work"]: (row["exponent"], row["error"]) for row in subjects.get("growth", {}).get("rows", [])}
    if missing := {work for works in GROWS.values() for work in works} - set(found):
        raise NeuraleseError(f"the growth of {min(missing)} is not known yet; run `make bench` first.")
    return found


def main() -> None:
    """Read the command line, compute and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="results folder of a run")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds of the planned run")
    parser.add_argument("--points", type=int, default=0, help="number of points of the planned sweep")
    parser.add_argument("--cores", type=int, nargs="+", help="numbers of cores to simulate the run on")
    parser.add_argument("--configfile", action="append", default=[], help="config files of the simulated run")
    parser.add_argument("--before", help="results of an earlier run, to simulate for comparison")
    parser.add_argument("--before-project", type=Path, default=PROJECT, help="the checkout that run was made with")
    parser.add_argument("--times", type=float, help="estimate a run in which everything is this many times as large")
    given = parser.parse_args()
    try:
        stages = read_benchmarks(given.results)
        print(stages.to_string(index=False, float_format="{:.0f}".format))
        print(f"\ncore hours; {given.seeds:,} seeds, {given.points:,} points of a sweep")
        print(core_hours(stages, given.seeds, given.points).to_string(float_format="{:,.2f}".format))
        if given.cores:
            runs = {"before": (given.before_project.resolve(), given.before)} if given.before else {}
            runs["after" if runs else "this run"] = PROJECT, given.results
            compare(runs, given.seeds, given.cores, given.configfile)
        if given.times:
            table = enlarged(measured_jobs(given.results), known_exponents(), given.seeds, given.times)
            print(f"\nprocessor hours of {given.seeds:,} seeds, and if everything were {given.times:g} times as large")
            print(table.to_string(index=False, na_rep="", float_format="{:,.2f}".format))
    except NeuraleseError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
