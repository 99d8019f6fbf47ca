"""Kill whole runs at random moments, let them finish, and compare them with a run that nobody disturbed.

    python tests/faults/kill_and_rerun.py --kills 20 --seed 0 --tasks colors birds driving

Each kill is a SIGKILL to Snakemake and all its jobs at once. A run that ends before its kill is compared, and the next
one starts from nothing, so that kills fall on every stage. The script ends with exit code 1 if a result differs, if a
file is found broken, if a finished training is repeated, or if anything is left lying about.
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
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
from safetensors import safe_open

ROOT = Path(__file__).parents[2]
COMPARED = ("*.parquet", "*.safetensors", "*.png", "*.md", "*.csv", "*.tex")


say = partial(print, flush=True)


class Folder:
    """A copy of the project in which runs are started and killed."""

    def __init__(self, path: Path, configfile: str, tasks: list[str], cores: int) -> None:
        self.path, self.results = path, path / "results"
        path.mkdir(parents=True)
        for name in ("Snakefile", "workflow", "config", "profiles", "src"):
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
            else:
                shutil.copy(ROOT / name, path / name)
        config = ["--configfile", configfile, "--config", f"tasks=[{','.join(tasks)}]", "data={source: embedded}"]
        self.environment = {**os.environ, "PYTHONPATH": str(path / "src")}
        self.command = [sys.executable, "-m", "snakemake", "--cores", str(cores), "all", *config]

    def start(self, output: Path) -> subprocess.Popen:
        """Start Snakemake as the leader of a process group of its own."""
        with output.open("w") as file:
            return subprocess.Popen(
                self.command,
                cwd=self.path,
                env=self.environment,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def files(self, *patterns: str) -> dict[str, Path]:
        """The results that match, by their place in the results folder."""
        found = (path for pattern in patterns for path in self.results.rglob(pattern))
        return {str(path.relative_to(self.results)): path for path in sorted(found)}


@dataclass
class Account:
    """What happened in all runs."""

    kills: int = 0
    rounds: int = 0  # runs from nothing to the end
    killed_in: Counter = field(default_factory=Counter)  # rule -> jobs that a kill ended
    trained: dict[str, int] = field(default_factory=dict)  # task/seed -> updates done when last looked, in this round
    resumed: int = 0
    trainings_finished: int = 0  # by Snakemake's word
    whole: int = 0  # files looked into after a kill
    compared: int = 0
    faults: list[str] = field(default_factory=list)


def stages(output: str) -> tuple[list[str], list[str]]:
    """The rules of the jobs that ran when Snakemake's `output` broke off, and of those that had finished."""
    jobs = re.findall(r"^(?:local)?rule (\w+):\n(?:^ .*\n)*?^ +jobid: (\d+)$", output, flags=re.M)
    started = {job: rule for rule, job in jobs}
    finished = re.findall(r"^Finished jobid: (\d+)", output, flags=re.M)
    return [rule for job, rule in started.items() if job not in finished], [started[job] for job in finished]


def broken(folder: Folder) -> tuple[int, list[str]]:
    """Look into every table, every weight and every checkpoint that has its name: how many, and which are not whole."""
    files, bad = folder.files("*.parquet", "*.safetensors", "*.pt", "*.json"), []
    for name, path in files.items():
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
    return len(files), bad


def look_at_trainings(folder: Folder, account: Account, since: float) -> None:
    """Read from the logs written after `since` where trainings began and how far they came."""
    for name, path in folder.files("train_agent.log").items():
        if path.stat().st_mtime < since:
            continue
        text, before = path.read_text(), account.trained.get(name, 0)
        resumed = re.search(r"resumed at update (\d+) of (\d+)", text)
        begun = int(resumed[1]) if resumed else 0
        account.resumed += bool(resumed)
        checkpoint_every = 100  # at most so many updates are done twice, as config/quick.yaml has it
        if "loss" in text and before - begun > checkpoint_every:
            account.faults.append(f"{name}: {before} updates were done, and training began again at {begun}")
        account.trained[name] = max([before, begun, *map(int, re.findall(r" update (\d+): loss", text))])
    text = "".join(path.read_text(errors="replace") for path in folder.files("*.log").values())
    account.faults += re.findall(r"^.* ERROR .*$", text, flags=re.M)


def differences(expected: Folder, actual: Folder) -> tuple[int, list[str]]:
    """Compare all results of two folders byte by byte: how many files, and which differ."""
    ours, theirs = expected.files(*COMPARED), actual.files(*COMPARED)
    wrong = [f"{name} is there in only one run" for name in sorted(ours.keys() ^ theirs.keys())]
    both = ours.keys() & theirs.keys()
    wrong += [f"{name} differs" for name in sorted(both) if ours[name].read_bytes() != theirs[name].read_bytes()]
    return len(both), wrong + [f"{name} was left behind" for name in actual.files(".*.tmp")]


def attempt(folder: Folder, account: Account, delay: float | None) -> bool:
    """Run, and kill after `delay` seconds if there is one; return whether the run came to its end."""
    output, since = folder.path / "output.txt", time.time()
    subprocess.run([*folder.command, "--unlock"], cwd=folder.path, env=folder.environment, capture_output=True)
    process = folder.start(output)
    try:
        code = process.wait(delay)
    except subprocess.TimeoutExpired:
        code = None
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    hit, finished = stages(output.read_text())
    account.trainings_finished += finished.count("train_agent")
    look_at_trainings(folder, account, since)
    if code is None:
        account.kills += 1
        account.killed_in.update(hit or ["between jobs"])
        count, bad = broken(folder)
        account.whole += count
        account.faults += bad
        print(
            f"kill {account.kills} after {delay:.0f} s, in {', '.join(hit) or 'no job'}; {count} files whole",
            flush=True,
        )
    elif code:
        account.faults.append(f"a run ended with exit code {code}: {output.read_text()[-2000:]}")
    return code is not None


def disturb(undisturbed: Folder, killed: Folder, kills: int, longest: float, seed: int) -> Account:
    """Kill runs in the folder `killed` so often, within `longest` seconds; compare those that come to their end."""
    account, moments, ended = Account(), random.Random(seed), False
    while account.kills < kills or not ended:
        ended = attempt(killed, account, moments.uniform(0, longest) if account.kills < kills else None)
        if account.faults:
            break
        if ended:
            account.rounds += 1
            count, wrong = differences(undisturbed, killed)
            account.compared += count
            account.faults += wrong
            print(
                f"a run of {sum(account.trained.values())} updates ended; {count} files compared, {len(wrong)} wrong",
                flush=True,
            )
            account.trained = {}
            if account.kills < kills:
                shutil.rmtree(killed.results)
    expected = account.rounds * len(undisturbed.files("agent.safetensors"))
    if not account.faults and account.trainings_finished > expected:
        account.faults.append(f"{account.trainings_finished} trainings were finished where {expected} were to be done")
    return account


def main() -> int:
    """Read the command line, run, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--tasks", nargs="+", default=["colors", "birds", "driving"])
    parser.add_argument("--configfile", default="config/quick.yaml")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder otherwise")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = given.folder or Path(temporary)
        undisturbed, killed = (
            Folder(work / name, given.configfile, given.tasks, given.cores) for name in ("undisturbed", "killed")
        )
        started = time.monotonic()
        output = work / "undisturbed.txt"
        if undisturbed.start(output).wait():
            sys.exit(output.read_text()[-5000:])
        whole_run = time.monotonic() - started
        say(f"an undisturbed run takes {whole_run:.0f} s")
        account = disturb(undisturbed, killed, given.kills, whole_run / 4, given.seed)
    print(json.dumps(vars(account), indent=2, default=dict))
    return bool(account.faults)


if __name__ == "__main__":
    sys.exit(main())
