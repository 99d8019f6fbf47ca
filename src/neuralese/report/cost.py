"""What runs cost, reckoned from the benchmark files that every job of the pipeline writes.

stages = read_benchmarks("results")                       # one row for each task and stage
core_hours(stages, seeds=1000)                            # one row for each task
"""

import math
from pathlib import Path

import pandas as pd

from neuralese.errors import NeuraleseError

# what the target `sweep` runs again for another point, if all of it depends on the swept values
SWEPT = {
    "train_agent",
    "sample_messages",
    "fit_robot_speaker",
    "fit_human_speaker",
    "fit_human_listener",
    "ablate",
    "choose_criteria",
    "score_dictionary",
    "synthesise",
    "evaluate_belief_test",
    "evaluate_behavior_test",
    "analyse_protocol",
}


def read_benchmarks(results: str | Path) -> pd.DataFrame:
    """Every stage of every task: whether it is run for each seed, its runs, seconds, cores and peak memory (MB).

    Seconds are the median over runs (the file of a resumed training tells of its last part only), memory the maximum;
    a job counts as many cores as it kept busy on average, rounded up; less than a tenth of a core is not counted.
    """
    folder = Path(results) / "benchmarks"
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        task, *seed, file = path.relative_to(folder).parts
        if task == "sweep":
            continue
        for _, run in pd.read_csv(path, sep="\t", na_values="-").iterrows():
            cores = max(1, math.ceil(run["mean_load"] / 100 - 0.1)) if run["mean_load"] > 0 else 1
            rows.append((task, file.removesuffix(".tsv"), bool(seed), run["s"], cores, run["max_rss"]))
    if not rows:
        raise NeuraleseError(f"there are no benchmark files below {folder}; run the pipeline first, they come with it.")
    table = pd.DataFrame(rows, columns=["task", "stage", "each_seed", "seconds", "cores", "memory"])
    return table.groupby(["task", "stage", "each_seed"], as_index=False).agg(
        runs=("seconds", "size"), seconds=("seconds", "median"), cores=("cores", "max"), memory=("memory", "max")
    )


def core_hours(stages: pd.DataFrame, seeds: int, points: int = 0) -> pd.DataFrame:
    """Core hours of each task: what is run once, one seed, all seeds, and the points of a sweep with all seeds.

    The points are reckoned as if every stage depended on the swept values, from the training on.
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
