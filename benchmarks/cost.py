"""The core hours of larger runs, from the benchmark files of a finished one.

python benchmarks/cost.py results --seeds 1000                # a thousand seeds
python benchmarks/cost.py results --seeds 1 --points 500      # a sweep of 500 configs
"""

import argparse
import math
import re
import sys
from pathlib import Path

import pandas as pd

from neuralese.errors import NeuraleseError

# stages that a sweep repeats at each point, if what is swept matters to the training
SWEPT = (
    *("ablate", "analyse_protocol", "choose_criteria", "evaluate_behavior", "evaluate_belief"),
    *("fit_robot_speaker", "score_dictionary", "synthesise", "train_agent"),
)


def read_benchmarks(results: str | Path) -> pd.DataFrame:
    """Every stage of every task: whether it runs for each seed, its runs, seconds, cores and peak memory (MB).

    Seconds are the median over runs (the file of a resumed training covers its last part only), memory the maximum;
    a job counts as many cores as it kept busy on average, rounded up; less than a tenth of a core is not counted.
    """
    folder, rows = Path(results) / "benchmarks", []
    for path in sorted(folder.rglob("*.tsv")):
        task, _, stage = path.relative_to(folder).with_suffix("").as_posix().partition("/")
        stage, seeds = re.subn(r"^seed\d+/", "", stage)
        for _, run in pd.read_csv(path, sep="\t", na_values="-").iterrows():
            cores = max(1, math.ceil(run["mean_load"] / 100 - 0.1)) if run["mean_load"] > 0 else 1
            rows.append((task, stage, bool(seeds), run["s"], cores, run["max_rss"]))
    if not rows:
        raise NeuraleseError(f"there are no benchmark files below {folder}; run the pipeline first, which writes them.")
    table = pd.DataFrame(rows, columns=["task", "stage", "each_seed", "seconds", "cores", "memory"])
    return (
        table[table["task"] != "sweep"]
        .groupby(["task", "stage", "each_seed"], as_index=False)
        .agg(runs=("seconds", "size"), seconds=("seconds", "median"), cores=("cores", "max"), memory=("memory", "max"))
    )


def core_hours(stages: pd.DataFrame, seeds: int, points: int = 0) -> pd.DataFrame:
    """Core hours of each task: shared stages, one seed, all seeds, and the points of a sweep with all seeds."""
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


def main() -> None:
    """Read the command line, compute and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="results folder of a run")
    parser.add_argument("--seeds", type=int, default=1, help="number of seeds of the planned run")
    parser.add_argument("--points", type=int, default=0, help="number of points of the planned sweep")
    given = parser.parse_args()
    try:
        stages = read_benchmarks(given.results)
    except NeuraleseError as error:
        sys.exit(str(error))
    print(stages.to_string(index=False, float_format="{:.0f}".format))
    print(f"\ncore hours; {given.seeds:,} seeds, {given.points:,} points of a sweep")
    print(core_hours(stages, given.seeds, given.points).to_string(float_format="{:,.2f}".format))


if __name__ == "__main__":
    main()
