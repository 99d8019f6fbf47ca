"""Measure everything that takes time, and write results.md and results.json next to this file.

python benchmarks/run.py [--quick] [--only dictionary] [--to FOLDER]
"""

import argparse
import importlib
import json
import multiprocessing
import os
import platform
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
SUBJECTS = {
    "dictionary": "Dictionary scoring",
    "updates": "Updates of a training",
    "features": "Feature extraction",
    "corpora": "Corpora",
}
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
PACKAGES = ("torch", "numpy", "onnxruntime", "pandas")
MADE = """\
Made by `python benchmarks/run.py`. How long a whole run takes, now and before, is in
[On a cluster](../docs/cluster.md#wall-time)."""


def measured(subject: str, case: dict) -> dict:
    """One row of results; called in its own process."""
    return case | importlib.import_module(subject).measure(**case)


def run(subject: str, quick: bool) -> Iterator[dict]:
    """Measure all cases of a subject, each in a fresh process; yield all rows so far after each."""
    rows = []
    for case in importlib.import_module(subject).cases(quick):
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as fresh:
            rows.append(fresh.submit(measured, subject, case).result())
        print(subject, json.dumps(rows[-1]), flush=True)
        date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        yield {"date": date, "load": round(os.getloadavg()[0], 1), "quick": quick, "rows": rows}


def machine() -> dict[str, str | int]:
    """Where and with what this was measured."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def shown(value: object) -> str:
    """A number with three significant digits."""
    if value is None:
        return ""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def markdown(results: dict) -> str:
    """The results as tables."""
    lines = ["# How fast it is", "", MADE, ""]
    lines += [f"- {name}: {value}" for name, value in results["machine"].items()]
    lines += ["", importlib.import_module("measure").__doc__.split("\n\n", 1)[1].strip()]
    for subject, found in results["subjects"].items():
        module = importlib.import_module(subject)
        when = f"{found['date']}, load of the machine {found['load']}{', tiny sizes' if found['quick'] else ''}."
        lines += ["", f"## {SUBJECTS[subject]}", "", module.__doc__.strip(), "", when, ""]
        lines += ["| " + " | ".join(module.COLUMNS) + " |", "|" + " --- |" * len(module.COLUMNS)]
        keys = module.COLUMNS.values()
        lines += ["| " + " | ".join(shown(row.get(key)) for key in keys) + " |" for row in found["rows"]]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Read the command line, measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    parser.add_argument("--only", choices=SUBJECTS, action="append", help="measure this; results of others are kept")
    parser.add_argument("--to", type=Path, default=HERE, help="folder for results.md and results.json")
    given = parser.parse_args()
    os.environ.update(THREADS)  # before the processes that measure are started
    sys.path.insert(0, str(HERE))
    given.to.mkdir(parents=True, exist_ok=True)
    record = given.to / "results.json"
    known = json.loads(record.read_text())["subjects"] if given.only and record.exists() else {}
    for subject in given.only or SUBJECTS:
        for found in run(subject, given.quick):
            known[subject] = found
            ordered = {name: known[name] for name in SUBJECTS if name in known}
            results = {"machine": machine(), "subjects": ordered}
            record.write_text(json.dumps(results, indent=1) + "\n")
            (given.to / "results.md").write_text(markdown(results))


if __name__ == "__main__":
    main()
