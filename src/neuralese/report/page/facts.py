"""The facts of a run: data, versions and the time it took."""

import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

from neuralese.storage.files import read_json

PACKAGES = ("neuralese", "torch", "numpy", "pandas", "scikit-learn", "snakemake")
SOURCES = {
    "official": "official address",
    "mirror": "mirror of the official data",
    "embedded": "embedded stand-in, generated; not comparable with the paper",
    "corpus": "your own recordings",
}


def run_facts(provenances: Iterable[str | Path], seeds: Sequence[int], benchmarks: str | Path) -> dict:
    """All of these, and when they were recorded."""
    return {
        "data": data_facts(provenances),
        "seeds": list(seeds),
        "versions": versions(),
        "spent": time_spent(benchmarks),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def data_facts(provenances: Iterable[str | Path]) -> list[dict]:
    """For each task: which data, from where, how much, and its licence."""
    facts = []
    for path in provenances:
        given = read_json(path)
        rows = ", ".join(f"{count:,} {name}" for name, count in given["rows"].items())
        facts.append(
            {
                "task": Path(path).parent.name,
                "source": given["source"],
                "meaning": SOURCES[given["source"]],
                "data_set": given["data_set"],
                "rows": rows,
                "licence": given["licence"],
                "fetched": given["time"].partition("T")[0],
            }
        )
    return facts


def versions(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Versions of Python and of packages that affect the figures; those not installed are left out."""
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def time_spent(benchmarks: str | Path) -> dict:
    """Seconds of all jobs with a benchmark, their number, and the stages that took longest."""
    files = sorted(Path(benchmarks).rglob("*.tsv"))
    seconds = {path: float(pd.read_csv(path, sep="\t", usecols=["s"])["s"].sum()) for path in files}
    stages = pd.Series({}, dtype=float)
    if files:
        stages = pd.Series(seconds).groupby(lambda path: path.stem).sum().sort_values(ascending=False)
    return {
        "jobs": len(files),
        "total": clock(sum(seconds.values())),
        "longest": [(name.replace("_", " "), clock(value)) for name, value in stages.head(3).items()],
    }


def clock(seconds: float) -> str:
    """1 h 02 min, 3 min 20 s, or 7 s."""
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"
    return f"{int(seconds // 60)} min {int(seconds % 60):02d} s" if seconds >= 60 else f"{seconds:.0f} s"
