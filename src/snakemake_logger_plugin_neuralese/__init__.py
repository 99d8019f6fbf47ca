"""A logger plugin of Snakemake: the progress of a run, for people.

    snakemake --logger neuralese        # what `neuralese run` does

On a terminal it shows the jobs that are running, how many are done and about how long the rest takes; elsewhere it
prints a line for each job that ends. A failed job is shown with the error from its log. What is no run, such as a dry
run or a summary, is printed as Snakemake prints it, and so is a run with --quiet.
"""

import logging
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from neuralese.cli.output import clock_time, on_terminal, plain

if TYPE_CHECKING:  # Snakemake imports this module whenever it starts
    from rich.console import Group
    from rich.live import Live

RUNNING, DONE, FAILED = "running", "done", "failed"
AROUND = 4  # lines of the display besides the running jobs
FULL = 2**20  # a disk with fewer bytes left is full
BAR = 24  # width of the bar, in characters


@dataclass
class Job:
    """A job that has started."""

    rule: str
    wildcards: dict[str, str]
    logs: list[str]
    started: float
    ended: float = 0.0
    state: str = RUNNING

    @property
    def name(self) -> str:
        """The rule and its wildcards: train_agent (colors, seed 0)."""
        values = [value if name == "task" else f"{name} {value}" for name, value in self.wildcards.items() if value]
        return plain(f"{self.rule} ({', '.join(values)})" if values else self.rule)

    @property
    def error(self) -> str:
        """Why it failed, in one sentence, and where to read more."""
        if not self.logs:
            return "it has no log; run again with --verbose."
        return f"{plain(error_in(Path(self.logs[0])))} ({plain(self.logs[0])})"


def error_in(log: Path) -> str:
    """The error in the log of a failed job, plus the exception if it is a bug."""
    try:
        lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return "it left no log; run again with --verbose to see Snakemake's output."
    lines = [line for line in lines if line]
    errors = [line.split(" ERROR ", 1)[1] for line in lines if " ERROR " in line]
    if not lines and disk_usage(log.parent).free < FULL:
        return "its log is empty, and the disk is full; free some space, then run again."
    if not errors:
        return lines[-1] if lines else "its log is empty: it was killed, or the machine ran out of memory."
    return f"{errors[-1]} {lines[-1]}" if errors[-1].endswith(":") else errors[-1]


class Progress:
    """The jobs of a run: how many there are of each rule, and those that have started."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.begun = clock, clock()
        self.counts: dict[str, int] = {}
        self.total = self.done = 0
        self.jobs: dict[int, Job] = {}

    def start(self, number: int, rule: str, wildcards: dict[str, str], logs: list[str]) -> None:
        """A job has started, perhaps for the second time."""
        self.jobs[number] = Job(rule, dict(wildcards), list(logs), self.clock())

    def end(self, number: int, state: str) -> Job | None:
        """A job has ended; none if it is unknown or was known to have ended."""
        job = self.jobs.get(number)
        if job is None or job.state != RUNNING:
            return None
        job.state, job.ended = state, self.clock()
        self.done += state == DONE
        return job

    def of(self, state: str) -> list[Job]:
        """The jobs in a state."""
        return [job for job in list(self.jobs.values()) if job.state == state]

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return self.clock() - self.begun

    @property
    def seconds_left(self) -> float | None:
        """Seconds to the end at the pace so far; None before a tenth of the jobs is done, and when all are.

        A job takes as long as those of its rule that are done, on average, or as all that are done.
        """
        if not self.done or self.done < self.total / 10 or self.done >= self.total:
            return None
        took = defaultdict(list)
        for job in self.of(DONE):
            took[job.rule].append(job.ended - job.started)
        mean = sum(map(sum, took.values())) / self.done
        costs = {rule: sum(took[rule]) / len(took[rule]) if rule in took else mean for rule in self.counts}
        spent = sum(map(sum, took.values()))
        spent += sum(min(self.clock() - job.started, costs.get(job.rule, mean)) for job in self.of(RUNNING))
        work = sum(costs[rule] * count for rule, count in self.counts.items())
        return self.seconds * max(work - spent, 0) / spent if spent else None

    def __str__(self) -> str:
        left = self.seconds_left
        return f"{self.done} of {self.total} jobs" + (f", about {clock_time(left)} left" if left is not None else "")


def drawn(progress: Progress, logs: Path, lines: int) -> "Group":
    """The display: running jobs as far as they fit, the share that is done, the time left, and where the logs are."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    running = progress.of(RUNNING)
    table = Table.grid(padding=(0, 2))
    for job in running[:lines]:
        table.add_row(Text(f"▸ {job.name}", style="cyan"), clock_time(progress.clock() - job.started))
    if len(running) > lines:
        table.add_row(Text(f"and {len(running) - lines} more", style="dim"))
    full = round(BAR * progress.done / max(progress.total, 1))
    line = Text.assemble(("━" * full, "green"), ("━" * (BAR - full), "dim"))
    if not progress.total:
        line = Text("Working out what has to be made …", style="dim")
    line.append(f"  {progress}, {clock_time(progress.seconds)} so far" if progress.total else "")
    return Group(table, line, Text(f"logs: {logs} (of jobs), .snakemake/log", style="dim"))


@dataclass
class LogHandlerSettings(LogHandlerSettingsBase):
    """Options of Snakemake's command line for this plugin."""

    results: str = field(
        default="results",
        metadata={"help": "The folder of the results, for the figures at the end", "env_var": False, "required": False},
    )


class LogHandler(LogHandlerBase):
    """Shows what happens in a run; if that fails, what Snakemake says is shown instead."""

    writes_to_stream = True
    writes_to_file = False
    has_filter = False
    has_formatter = False
    needs_rulegraph = False

    def __post_init__(self) -> None:
        self.progress = Progress()
        assert isinstance(self.settings, LogHandlerSettings)
        self.results = Path(self.settings.results)
        self.started = self.nothing_to_do = self.closed = False
        common = self.common_settings
        self.as_snakemake = bool(common.dryrun or common.quiet or common.verbose or common.debug_dag)
        self.notes: list[str] = []  # what Snakemake says before a run, which is shown if none follows
        self.errors: list[str] = []  # that are of no job
        self.complete_log = ""
        self.stopped = False  # by Ctrl-C
        self.live: Live | None = None  # the display, on a terminal
        self.stderr = sys.stderr  # if it is a terminal, scripts do not get it: they would write into the display

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record of Snakemake's."""
        if not self.as_snakemake:
            try:
                self._show(record)
                return
            except Exception as error:
                self._stop_display()
                self.as_snakemake = True
                self._say(f"(The view failed ({error}); Snakemake's own output follows.)")
        if text := self.format(record):
            print(text, file=sys.stdout if self.common_settings.dryrun else self.stderr, flush=True)

    def close(self) -> None:
        """Say how the run ended."""
        self._stop_display()
        if not (self.as_snakemake or self.closed):
            self.closed = True
            try:
                self._conclude()
            except Exception as error:  # such as a table that cannot be read
                self._say(f"The summary cannot be shown: {error}")
        if self.stderr is not sys.stderr:
            os.dup2(self.stderr.fileno(), 2)
        super().close()

    def _show(self, record: logging.LogRecord) -> None:
        told: dict[str, Any] = record.__dict__
        match told.get("event"):
            case LogEvent.WORKFLOW_STARTED:
                self.started = True
                self._start_display()
            case LogEvent.RUN_INFO:
                self._plan(told["stats"])
            case LogEvent.JOB_INFO:
                self.progress.start(told["jobid"], told["rule_name"], told["wildcards"], told["log"])
            case LogEvent.JOB_FINISHED:
                self._end(told["job_id"], DONE)
            case LogEvent.PROGRESS:  # the total changes if a checkpoint adds jobs
                self.progress.total = told["total"]
            case LogEvent.JOB_ERROR:
                self._end(told["jobid"], FAILED)
            case LogEvent.GROUP_ERROR:
                for job in told["job_error_info"]:
                    self._end(job["jobid"], FAILED)
            case LogEvent.SHELLCMD | LogEvent.RESOURCES_INFO | LogEvent.JOB_STARTED | LogEvent.GROUP_INFO:
                pass
            case _:
                self._note(record)

    def _plan(self, stats: dict[str, int]) -> None:
        self.progress.counts = {rule: count for rule, count in stats.items() if rule != "total"}
        self.progress.total = stats["total"]
        if self.live is None:
            print(f"{self.progress.total} jobs to run.", flush=True)

    def _end(self, number: int, state: str) -> None:
        job = self.progress.end(number, state)
        if job is None:
            return
        if self.live is None:
            took = f"{'took' if state == DONE else 'FAILED after'} {clock_time(job.ended - job.started)}"
            print(f"[{self.progress}] {job.name} {took}" + (f": {job.error}" if state == FAILED else ""), flush=True)
        elif state == FAILED:
            self._say(f"✗ {job.name} failed: {job.error}", "red")

    def _say(self, text: str, style: str = "") -> None:
        """Print a text, above the display if there is one."""
        if self.live is None:
            print(text, file=self.stderr, flush=True)
        else:
            self.live.console.print(text, style=style, markup=False)

    def _note(self, record: logging.LogRecord) -> None:
        """Keep what Snakemake says about something else; show warnings."""
        text = self.format(record).strip()
        if text.startswith("Terminating processes on user request"):
            self.stopped = True
        elif record.levelno >= logging.ERROR:
            self.errors.append(text)
        elif record.levelno >= logging.WARNING:
            self._say(text, "yellow")
        elif text.startswith("Nothing to be done"):
            self.nothing_to_do = True
        elif text.startswith("Complete log"):
            self.complete_log = text.partition(": ")[2]
        elif text:
            self.notes.append(text)

    def _start_display(self) -> None:
        if sys.stderr.isatty():
            self.stderr = os.fdopen(os.dup(2), "w")
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 2)
            os.close(nowhere)
        if on_terminal():
            from rich.console import Console
            from rich.live import Live

            console = Console(highlight=False)
            lines = max(console.height - AROUND, 1)
            self.live = Live(
                get_renderable=lambda: drawn(self.progress, self.results / "logs", lines),
                console=console,
                refresh_per_second=2,
                transient=True,
            )
            self.live.start(refresh=True)

    def _stop_display(self) -> None:
        if self.live is not None:
            self.live.stop()
            self.live = None

    def _conclude(self) -> None:
        from neuralese.cli.compare import print_summary

        progress, took = self.progress, clock_time(self.progress.seconds)
        failed = progress.of(FAILED)
        if not self.started:
            for text in (*self.notes, *self.errors):
                self._say(text)
        elif self.nothing_to_do:
            print_summary(self.results, f"Everything was up to date; nothing to do ({took}).")
        elif progress.total and progress.done >= progress.total and not self.errors:
            print_summary(self.results, f"{progress.done} jobs in {took}.")
        elif self.stopped:
            self._say("\nStopped. What is finished is kept; the same command goes on from where it was.")
        else:
            said = [f"{job.name} failed: {job.error}" for job in failed] or self.errors
            kept = "; finished results are kept, and the same command resumes from there" if progress.jobs else ""
            lines = ["", *said, f"The run ended after {took} without making everything{kept}."]
            lines += [f"Snakemake's complete output: {self.complete_log}"] if self.complete_log else []
            self._say("\n".join(lines))
