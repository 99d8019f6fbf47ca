"""Kill whole runs at random moments, let them finish, and compare them with a run that nobody disturbed.

    python tests/workflow/kill_and_rerun.py --kills 100 --seed 0 --tasks colors birds driving     # or: make test-kills

Each kill is a SIGKILL to Snakemake and all its jobs at once. A run that ends before its kill is compared, and the next
one starts from nothing, so that kills fall on every stage. The script ends with exit code 1 if a result differs, if a
file is found broken, if what a finished job made is gone, if a finished job is repeated, or if anything is left lying
about.
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
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
from copies import Project
from safetensors import safe_open

CHECKPOINT_EVERY = 100  # at most so many updates are done twice after a kill, as config/quick.yaml has it
LIMIT = 7200  # seconds for a run that nobody kills
COMPARED = ("*.parquet", "*.safetensors", "*.png", "*.md", "*.csv", "*.tex")


say = partial(print, flush=True)


class Runs(Project):
    """A copy of the project in which runs are started and killed."""

    def __init__(
        self,
        folder: Path,
        tasks: list[str],
        configfile: str = "config/quick.yaml",
        cores: int = 2,
        targets: Iterable[str] = ("all",),
    ) -> None:
        super().__init__(folder)
        config = ["--configfile", configfile, "--config", f"tasks=[{','.join(tasks)}]", "data={source: embedded}"]
        self.run = self.command(*targets, *config, cores=cores)
        self.results, self.output = folder / "results", folder / "output.txt"

    def start(self) -> subprocess.Popen:
        """Start Snakemake as the leader of a process group of its own."""
        with self.output.open("w") as file:
            return subprocess.Popen(
                self.run,
                cwd=self.folder,
                env=self.environment(),
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )


def files(results: Path, *patterns: str) -> dict[str, Path]:
    """The results that match, by their place in the folder `results`."""
    found = (path for pattern in patterns for path in results.rglob(pattern))
    return {str(path.relative_to(results)): path for path in sorted(found)}


@dataclass
class Account:
    """What happened in all runs."""

    kills: int = 0
    rounds: int = 0  # runs from nothing to the end
    killed_in: Counter = field(default_factory=Counter)  # rule -> jobs that a kill ended
    trained: dict[str, int] = field(default_factory=dict)  # task/seed -> updates done when last looked, in this round
    resumed: int = 0
    finished: dict[str, list[str]] = field(default_factory=dict)  # first output -> all, of the jobs of this round
    jobs: int = 0  # that came to their end, by Snakemake's word
    whole: int = 0  # files looked into after a kill
    compared: int = 0
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Started:
    """A job as Snakemake's output tells of it."""

    rule: str
    outputs: tuple[str, ...]


def jobs(output: str) -> tuple[list[Started], list[Started]]:
    """The jobs that ran when Snakemake's `output` broke off, and those that had finished."""
    started = {}
    for rule, told in re.findall(r"^(?:local)?rule (\w+):\n((?:^ .*\n)*)", output, flags=re.M):
        made, number = (re.search(rf"^ +{key}: (.*)$", told, flags=re.M) for key in ("output", "jobid"))
        if number:
            started[number[1]] = Started(rule, tuple(made[1].split(", ")) if made else ())
    finished = re.findall(r"^Finished jobid: (\d+)", output, flags=re.M)
    running = [job for number, job in started.items() if number not in finished]
    return running, [started[number] for number in finished if number in started]


def look_at_finished(runs: Runs, account: Account, finished: list[Started]) -> None:
    """Note the jobs that came to their end, and whether one did so twice; what they made has to stay."""
    for job in finished:
        account.jobs += 1
        if job.outputs and job.outputs[0] in account.finished:
            account.faults.append(f"{job.rule} was finished and done again: {job.outputs[0]}")
        if job.outputs:
            account.finished[job.outputs[0]] = list(job.outputs)
    lost = [path for made in account.finished.values() for path in made if not (runs.folder / path).exists()]
    account.faults += [f"{path} was made and is gone" for path in lost]


def broken(results: Path) -> tuple[int, list[str]]:
    """Look into every table, every weight and every checkpoint that has its name: how many, and which are not whole."""
    looked_at, bad = files(results, "*.parquet", "*.safetensors", "*.pt", "*.json"), []
    for name, path in looked_at.items():
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
            bad.append(f"{name} is broken after a kill: {error}")
    return len(looked_at), bad


def look_at_trainings(results: Path, account: Account, since: float) -> None:
    """Read from the logs written after `since` where trainings began and how far they came."""
    for name, path in files(results, "train_agent.log").items():
        if path.stat().st_mtime < since:
            continue
        text, before = path.read_text(), account.trained.get(name, 0)
        resumed = re.search(r"resumed at update (\d+) of (\d+)", text)
        begun = int(resumed[1]) if resumed else 0
        account.resumed += bool(resumed)
        if "loss" in text and before - begun > CHECKPOINT_EVERY:
            account.faults.append(f"{name}: {before} updates were done, and training began again at {begun}")
        account.trained[name] = max([before, begun, *map(int, re.findall(r" update (\d+): loss", text))])
    text = "".join(path.read_text(errors="replace") for path in files(results, "*.log").values())
    account.faults += re.findall(r"^.* ERROR .*$", text, flags=re.M)


def differences(expected: Path, actual: Path) -> tuple[int, list[str]]:
    """Compare all results of two folders byte by byte: how many files, and which differ."""
    ours, theirs = files(expected, *COMPARED), files(actual, *COMPARED)
    wrong = [f"{name} is there in only one run" for name in sorted(ours.keys() ^ theirs.keys())]
    both = ours.keys() & theirs.keys()
    wrong += [f"{name} differs" for name in sorted(both) if ours[name].read_bytes() != theirs[name].read_bytes()]
    return len(both), wrong + [f"{name} was left behind" for name in files(actual, ".*.tmp")]


def attempt(runs: Runs, account: Account, delay: float | None) -> bool:
    """Run, and kill after `delay` seconds if there is one; return whether the run came to its end."""
    since = time.time()
    if account.kills:
        subprocess.run([*runs.run, "--unlock"], cwd=runs.folder, env=runs.environment(), capture_output=True)
    process = runs.start()
    try:
        code = process.wait(delay or LIMIT)
    except subprocess.TimeoutExpired:
        code = None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    running, finished = jobs(runs.output.read_text())
    hit = [job.rule for job in running]
    look_at_finished(runs, account, finished)
    look_at_trainings(runs.results, account, since)
    if code is None and delay:
        account.kills += 1
        account.killed_in.update(hit or ["between jobs"])
        count, bad = broken(runs.results)
        account.whole += count
        account.faults += bad
        say(f"kill {account.kills} after {delay:.0f} s, in {', '.join(hit) or 'no job'}; {count} files whole")
    elif code != 0:
        account.faults.append(f"a run ended with exit code {code}: {runs.output.read_text()[-2000:]}")
    return code is not None


def disturb(runs: Runs, kills: int, longest: float, seed: int, compare: Callable[[], tuple[int, list[str]]]) -> Account:
    """Kill runs so often, each within `longest` seconds; `compare` those that come to their end."""
    account, moments, ended = Account(), random.Random(seed), False
    while not account.faults and (account.kills < kills or not ended):
        if ended:
            shutil.rmtree(runs.results)
        ended = attempt(runs, account, moments.uniform(0.1, longest) if account.kills < kills else None)
        if ended and not account.faults:
            account.rounds += 1
            account.compared, wrong = compare()
            account.faults += wrong
            updates = sum(account.trained.values())
            say(f"a run ended after {updates} updates; {account.compared} files compared, {len(wrong)} wrong")
            account.trained, account.finished = {}, {}
    return account


def main() -> int:
    """Read the command line, run, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--tasks", nargs="+", default=["colors", "birds", "driving"])
    parser.add_argument("--configfile", default="config/quick.yaml")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--within", type=float, default=1 / 6, help="a kill comes within this share of a whole run")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        undisturbed, killed = (
            Runs(Path(folder) / name, given.tasks, given.configfile, given.cores) for name in ("undisturbed", "killed")
        )
        started = time.monotonic()
        if undisturbed.start().wait():
            sys.exit(undisturbed.output.read_text()[-5000:])
        whole_run = time.monotonic() - started
        say(f"an undisturbed run takes {whole_run:.0f} s")
        longest = given.within * whole_run
        account = disturb(
            killed, given.kills, longest, given.seed, lambda: differences(undisturbed.results, killed.results)
        )
    say(
        json.dumps({name: value for name, value in vars(account).items() if name != "finished"}, indent=2, default=dict)
    )
    return bool(account.faults)


if __name__ == "__main__":
    sys.exit(main())
