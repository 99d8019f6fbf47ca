"""The progress of a run, read line by line from Snakemake's output.

progress = Progress()
for line in snakemake.stdout:
    for event in progress.read(line):      # jobs that ended: done or failed
        ...
progress.share, progress.seconds_left
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RUNNING, DONE, FAILED = "running", "done", "failed"
ALL = "all"  # the rule that makes nothing itself; and the column of what is made for all tasks together
# seconds of one job with the default config on two cores. Only proportions matter, and only until a job of the same
# rule has ended: rules not listed are short
TYPICAL = {
    "train_silent": 200,
    "train_agent": 100,
    "choose_relay": 53,
    "extract_features": 120,
    "train_head": 45,
    "relay_driving": 35,
    "ablate": 33,
    "listen_driving": 33,
    "evaluate_behavior": 30,
    "score_dictionary": 30,
    "fit_robot_speaker": 29,
    "synthesise": 23,
    "fit_human_model": 22,
    "relay": 22,
    "watch_driving": 17,
    "evaluate_belief": 13,
    "draw_examples": 11,
    "sample_messages": 10,
    "gather_report": 10,
}
SHORT = 6
RULE = re.compile(r"\s*(?:local)?(?:rule|checkpoint) (\w+):")
FIELD = re.compile(r"\s+(\w+): (.*)")
FINISHED = re.compile(r"Finished jobid: (\d+)")
ERROR = re.compile(r"\s*Error in (?:group )?(?:rule )?(\S+?),?:")
COUNT = re.compile(r"(\w+)\s+(\d+)")
DATE = re.compile(r"\[\w{3} \w{3} +\d+ [\d:]{8} \d{4}\]")
COMPLETE_LOG = re.compile(r"Complete log\(s\): (.*)")
CHATTER = (
    "Assuming unrestricted",
    "Building DAG",
    "Config file ",
    "Execute ",
    "Job stats:",
    "Provided cores",
    "Rules claiming",
    "Select jobs",
    "Singularity containers",
    "Using profile",
    "Using shell",
    "Using workflow",
    "host:",
)


@dataclass
class Job:
    """One job, from the moment it starts."""

    rule: str
    number: str
    started: float
    state: str = RUNNING
    ended: float = 0.0
    log: str = ""
    wildcards: dict[str, str] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.ended - self.started

    @property
    def task(self) -> str:
        """The task it belongs to; ALL for a rule that covers all tasks."""
        folder = Path(self.log.partition("/logs/")[2]).parts[:1]
        own = folder and folder[0] not in ("tables", "report", "theory", "sweep")
        return self.wildcards.get("task") or (folder[0] if own else ALL)

    @property
    def name(self) -> str:
        """The job in words."""
        seed = f", seed {self.wildcards['seed']}" if self.wildcards.get("seed") else ""
        return f"{self.rule} ({self.task}{seed})" if self.task != ALL else self.rule


class Progress:
    """The jobs of a run, upcoming ones by rule, and Snakemake's other output."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.started = clock, clock()
        self.counts: dict[str, int] = {}  # jobs of each rule, in the order in which they can run
        self.jobs: dict[str, Job] = {}
        self.others: list[str] = []  # lines not about a job
        self.complete_log = ""
        self._counting, self._rule, self._failing = False, "", False
        self._fields: dict[str, Any] = {}

    def read(self, line: str) -> list[Job]:
        """Process a line; return the jobs that ended with it."""
        line = line.rstrip("\n")
        if self._counting or line.startswith("Job stats:"):
            return self._count(line)
        if found := RULE.fullmatch(line):
            self._rule, self._fields, self._failing = found[1], {}, False
            return []
        if found := ERROR.match(line):
            self._rule, self._fields, self._failing = found[1], {}, True
            return []
        if found := FINISHED.search(line):
            self._rule = ""
            return self._end(found[1], DONE)
        if self._rule and (found := FIELD.match(line)):
            return self._take(*found.groups())
        self._rule = self._rule if line.startswith("    ") else ""
        if found := COMPLETE_LOG.match(line):
            self.complete_log = found[1]
        elif line.strip() and not self._rule and not DATE.fullmatch(line) and not line.startswith(CHATTER):
            self.others.append(line)
        return []

    def _count(self, line: str) -> list[Job]:
        """A line of the table of jobs, which ends with an empty line."""
        self._counting = bool(line.strip())
        if (found := COUNT.fullmatch(line.strip())) and found[1] not in (ALL, "total"):
            self.counts[found[1]] = int(found[2])
        return []

    def _take(self, name: str, value: str) -> list[Job]:
        """A field of the job that Snakemake is describing."""
        if name == "jobid":
            if self._failing:
                return self._end(value.split()[0], FAILED)
            if self._rule != ALL:
                self.jobs[value] = Job(self._rule, value, self.clock(), **self._fields)
        elif name == "log":
            self._fields["log"] = value.split(" (check log")[0].split(", ")[0]
        elif name == "wildcards" and self.jobs:
            pairs = (each.partition("=") for each in value.split(", "))
            last = next(reversed(self.jobs.values()))
            last.wildcards = {key: text for key, _, text in pairs} if last.rule == self._rule else last.wildcards
        return []

    def _end(self, number: str, state: str) -> list[Job]:
        job = self.jobs.get(number)
        if job is None or job.state == DONE:
            return []
        job.state, job.ended = state, self.clock()
        return [job]

    def of(self, rule: str) -> list[Job]:
        """The jobs of a rule so far."""
        return [job for job in list(self.jobs.values()) if job.rule == rule]

    def number(self, state: str) -> int:
        """Number of jobs in a state."""
        return sum(job.state == state for job in list(self.jobs.values()))

    @property
    def total(self) -> int:
        """Number of jobs in the whole run."""
        return sum(self.counts.values())

    def _cost(self, rule: str) -> float:
        """Seconds of a job of this rule: the mean of those that ended, or a typical value."""
        ended = [job.seconds for job in self.of(rule) if job.state == DONE]
        if ended:
            return max(sum(ended) / len(ended), 0.1)
        typical, taken = self._pace
        return TYPICAL.get(rule, SHORT) * (taken / typical if typical else 1.0)

    @property
    def _pace(self) -> tuple[float, float]:
        """The typical seconds of the jobs that ended, and the seconds they took."""
        ended = [job for job in list(self.jobs.values()) if job.state == DONE]
        return sum(TYPICAL.get(job.rule, SHORT) for job in ended), sum(job.seconds for job in ended)

    @property
    def work(self) -> tuple[float, float]:
        """Seconds of work done, including running jobs, and of all work."""
        costs = {rule: self._cost(rule) for rule in self.counts}
        done = 0.0
        for job in list(self.jobs.values()):
            cost, now = costs.get(job.rule, SHORT), self.clock()
            done += cost if job.state == DONE else min(now - job.started, 0.9 * cost) if job.state == RUNNING else 0.0
        return done, sum(costs[rule] * count for rule, count in self.counts.items())

    @property
    def share(self) -> float:
        """The share of the work that is done, from 0 to 1."""
        done, all_of_it = self.work
        return min(done / all_of_it, 1.0) if all_of_it else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end at the pace so far; None while too little has ended to tell."""
        done, all_of_it = self.work
        if self.number(DONE) < 3 or not done:
            return None
        return (self.clock() - self.started) * (all_of_it - done) / done


def sentence(log: str | Path) -> str:
    """One line from a failed job's log: its error, plus the exception if it is a bug."""
    try:
        lines = [line.strip() for line in Path(log).read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return "it left no log; run again with --verbose to see Snakemake's output."
    lines = [line for line in lines if line]
    errors = [line.split(" ERROR ", 1)[1] for line in lines if " ERROR " in line]
    if not errors:
        return lines[-1] if lines else "its log is empty: it was killed, or the machine ran out of memory."
    return f"{errors[-1]} {lines[-1]}" if errors[-1].endswith(":") else errors[-1]
