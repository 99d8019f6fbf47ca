"""Kill whole runs at random moments, rerun them, and compare the results with those of an undisturbed run.

    python tests/workflow/kill_and_rerun.py --kills 100 --seed 0 --tasks colors birds driving     # or: make test-kills

Each kill is a SIGKILL to Snakemake and all its jobs at once. A run that ends before its kill is compared, and the next
one starts from an empty folder, so that kills hit every stage. The script ends with exit code 1 if a result differs, a
file is broken, the output of a finished job is missing, a finished job is repeated, or temporary files are left.
"""

import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq
from copies import QUICK, Project
from safetensors import safe_open

CHECKPOINT_EVERY = 100  # updates that a kill may undo, by config/quick.yaml
LIMIT = 7200  # seconds for a run without a kill
COMPARED = ("*.parquet", "*.safetensors", "*.png", "*.md", "*.csv", "*.tex")


def files(results: Path, *patterns: str) -> dict[str, Path]:
    """The files that match, by their path below `results`."""
    found = (path for pattern in patterns for path in results.rglob(pattern))
    return {str(path.relative_to(results)): path for path in sorted(found)}


def differences(expected: Path, actual: Path) -> tuple[int, list[str]]:
    """Compare all results of two folders byte by byte: the number of files compared, and what is wrong."""
    ours, theirs = files(expected, *COMPARED), files(actual, *COMPARED)
    both = ours.keys() & theirs.keys()
    wrong = [f"{name} is in only one run" for name in sorted(ours.keys() ^ theirs.keys())]
    wrong += [f"{name} differs" for name in sorted(both) if ours[name].read_bytes() != theirs[name].read_bytes()]
    return len(both), wrong + [f"{name} was left behind" for name in files(actual, ".*.tmp")]


def broken(results: Path) -> list[str]:
    """Tables, weights, checkpoints and JSON files that cannot be read."""
    wrong = []
    for name, path in files(results, "*.parquet", "*.safetensors", "*.pt", "*.json").items():
        try:
            if path.suffix == ".parquet":
                pq.read_table(path)
            elif path.suffix == ".safetensors":
                with safe_open(path, framework="np") as weights:
                    [weights.get_tensor(key) for key in weights.keys()]  # noqa: SIM118
            elif path.suffix == ".pt":
                assert zipfile.ZipFile(path).testzip() is None
            else:
                json.loads(path.read_text())
        except Exception as error:
            wrong.append(f"{name} is broken after a kill: {error}")
    return wrong


@dataclass
class Runs:
    """Runs in a copy of the project, killed and rerun, and what was found in them."""

    project: Project
    command: list[str]
    kills: int = 0
    rounds: int = 0  # runs from an empty folder to the end
    killed_in: Counter = field(default_factory=Counter)  # rule: number of jobs that were killed
    updates: dict[str, int] = field(default_factory=dict)  # log of a training: updates done in this round
    resumed: int = 0  # trainings that resumed from a checkpoint
    finished: dict[str, list[str]] = field(default_factory=dict)  # first output of a job of this round: all outputs
    compared: int = 0  # files
    faults: list[str] = field(default_factory=list)

    @property
    def results(self) -> Path:
        """The folder of the results."""
        return self.project.folder / "results"

    def run(self, seconds: float | None = None) -> bool:
        """Run, and kill after some seconds; return whether the run came to its end."""
        folder, variables, since = self.project.folder, self.project.environment(), time.time()
        if self.kills:
            subprocess.run([*self.command, "--unlock"], cwd=folder, env=variables, capture_output=True)
        output = folder / "output.txt"
        with output.open("w") as file:
            process = subprocess.Popen(
                self.command, cwd=folder, env=variables, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
            )
        try:
            code = process.wait(seconds or LIMIT)
        except subprocess.TimeoutExpired:
            code = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        running = self.check_jobs(output.read_text())
        self.check_trainings(since)
        if code is None and seconds:
            self.kills += 1
            self.killed_in.update(running or ["between jobs"])
            self.faults += broken(self.results)
            print(f"kill {self.kills} after {seconds:.0f} s, in {', '.join(running) or 'no job'}", flush=True)
        elif code != 0:
            self.faults.append(f"a run ended with exit code {code}: {output.read_text()[-2000:]}")
        return code is not None

    def check_jobs(self, output: str) -> list[str]:
        """Finished jobs run once and their outputs stay; return the rules of the jobs that were running."""
        started = {}
        for rule, details in re.findall(r"^(?:local)?rule (\w+):\n((?:^ .*\n)*)", output, flags=re.M):
            outputs, number = (re.search(rf"^ +{key}: (.*)$", details, flags=re.M) for key in ("output", "jobid"))
            if number:
                started[number[1]] = rule, outputs[1].split(", ") if outputs else []
        for number in re.findall(r"^Finished jobid: (\d+)", output, flags=re.M):
            rule, outputs = started.pop(number, ("", []))
            if outputs and outputs[0] in self.finished:
                self.faults.append(f"{rule} finished twice: {outputs[0]}")
            if outputs:
                self.finished[outputs[0]] = outputs
        made = [path for outputs in self.finished.values() for path in outputs]
        self.faults += [f"{path} is gone" for path in made if not (self.project.folder / path).exists()]
        return [rule for rule, _ in started.values()]

    def check_trainings(self, since: float) -> None:
        """Trainings resume from their last checkpoint, and no log has an error."""
        for name, path in files(self.results, "train_agent.log").items():
            if path.stat().st_mtime < since:
                continue
            text, before = path.read_text(), self.updates.get(name, 0)
            resumed = re.search(r"resumed at update (\d+) of", text)
            begun = int(resumed[1]) if resumed else 0
            self.resumed += bool(resumed)
            if "loss" in text and before - begun > CHECKPOINT_EVERY:
                self.faults.append(f"{name}: {before} updates were done, and training resumed at {begun}")
            self.updates[name] = max([before, begun, *map(int, re.findall(r" update (\d+): loss", text))])
        for path in files(self.results, "*.log").values():
            self.faults += re.findall(r"^.* ERROR .*$", path.read_text(errors="replace"), flags=re.M)

    def disturb(self, kills: int, longest: float, seed: int, expected: Path, actual: Path) -> None:
        """Kill runs this many times, each within `longest` seconds; compare those that come to their end."""
        moments, ended = random.Random(seed), False
        while not self.faults and (self.kills < kills or not ended):
            if ended:
                shutil.rmtree(self.results)
            ended = self.run(moments.uniform(0.1, longest) if self.kills < kills else None)
            if ended and not self.faults:
                self.rounds += 1
                self.compared, wrong = differences(expected, actual)
                self.faults += wrong
                print(f"a run ended; {self.compared} files compared, {len(wrong)} wrong", flush=True)
                self.updates, self.finished = {}, {}


def main() -> int:
    """Read the command line, run, and print a summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the moments of the kills")
    parser.add_argument("--tasks", nargs="+", default=["colors", "birds", "driving"])
    given = parser.parse_args()
    settings = [*QUICK, "--config", f"tasks=[{','.join(given.tasks)}]", "data={source: embedded}"]
    with tempfile.TemporaryDirectory() as folder:
        undisturbed, killed = (
            Runs(project, project.command("all", *settings))
            for project in (Project(Path(folder) / name) for name in ("undisturbed", "killed"))
        )
        started = time.monotonic()
        undisturbed.run()
        if undisturbed.faults:
            sys.exit("\n".join(undisturbed.faults))
        seconds = time.monotonic() - started
        print(f"an undisturbed run takes {seconds:.0f} s", flush=True)
        killed.disturb(given.kills, seconds / 6, given.seed, undisturbed.results, killed.results)
    shown = ("kills", "rounds", "killed_in", "resumed", "compared", "faults")
    print(json.dumps({name: getattr(killed, name) for name in shown}, indent=2))
    return bool(killed.faults)


if __name__ == "__main__":
    sys.exit(main())
