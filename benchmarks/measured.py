"""What runs took, by the benchmark files that every job of the workflow writes.

stages = read_benchmarks("results")                       # one row for each task and stage
core_hours(stages, seeds=1000)                            # one row for each task
measured_jobs("results")["colors/seed*/train_agent"]      # processor seconds of one job
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from neuralese.storage.errors import NeuraleseError

# stages of one seed that the tables of a sweep need, which a sweep therefore repeats at each point
SWEPT = (
    *("ablate", "analyse_protocol", "choose_criteria", "evaluate_behavior", "evaluate_belief"),
    *("fit_robot_speaker", "score_dictionary", "synthesise", "train_agent"),
)


def read_benchmarks(results: str | Path) -> pd.DataFrame:
    """Every stage of every task: whether it runs per seed, its runs, seconds, cores and peak memory (MB).

    Seconds are the median over runs (the file of a resumed training covers its last part only), memory the maximum;
    a job counts as many cores as it kept busy on average, rounded up; less than a tenth of a core is not counted.
    """
    rows = []
    for name, run in _runs(results):
        task, _, stage = name.partition("/")
        cores = max(1, math.ceil(run["mean_load"] / 100 - 0.1)) if run["mean_load"] > 0 else 1
        stage, seeds = re.subn(r"^seed\d+/", "", stage)
        rows.append((task, stage, bool(seeds), run["s"], cores, run["max_rss"]))
    table = pd.DataFrame(rows, columns=["task", "stage", "each_seed", "seconds", "cores", "memory"])
    return table.groupby(["task", "stage", "each_seed"], as_index=False).agg(
        runs=("seconds", "size"), seconds=("seconds", "median"), cores=("cores", "max"), memory=("memory", "max")
    )


def of_any_seed(job: str) -> str:
    """The name of a job: a benchmark file without its suffix, with any seed: colors/seed*/train_agent."""
    return re.sub(r"(^|/)seed\d+/", r"\1seed*/", job)


def measured_jobs(results: str | Path, clock: str = "cpu_time") -> dict[str, float]:
    """Seconds of each job by its name (see `of_any_seed`): the median over seeds.

    `clock` is a column of the benchmark files: processor time, which excludes whatever else the machine did,
    or `s`, wall time.
    """
    found = [(of_any_seed(name), run[clock] if run[clock] > 0 else run["s"]) for name, run in _runs(results)]
    return pd.DataFrame(found, columns=["job", "seconds"]).groupby("job")["seconds"].median().to_dict()


def _runs(results: str | Path) -> Iterator[tuple[str, pd.Series]]:
    """Every run that left a row in a benchmark file, with the file's name; those of sweeps are left out."""
    folder, found = Path(results) / "benchmarks", False
    for path in sorted(folder.rglob("*.tsv")):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name.startswith("sweep/"):
            continue
        for _, run in pd.read_csv(path, sep="\t", na_values="-").iterrows():
            found = True
            yield name, run
    if not found:
        raise NeuraleseError(f"there are no benchmark files below {folder}; run the pipeline first, which writes them.")


def core_hours(stages: pd.DataFrame, seeds: int, points: int = 0) -> pd.DataFrame:
    """Core hours of each task: shared stages, one seed, all seeds, and the points of a sweep with all seeds.

    The points are computed as if every stage depended on the swept values, from training on.
    """
    hours = stages["seconds"] * stages["cores"] / 3600
    each, again = stages["each_seed"], stages["stage"].isin(SWEPT)
    table = pd.DataFrame(
        {
            "task": stages["task"],
            "once": hours.where(~each, 0),
            "one seed": hours.where(each, 0),
            "all seeds": hours.where(~each, hours * seeds),
            "sweep": hours.where(each & again, 0) * seeds * points,
        }
    )
    table = table.groupby("task", sort=False).sum()
    return pd.concat([table, table.sum().to_frame("total").T])
