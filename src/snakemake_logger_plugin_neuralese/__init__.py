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

AROUND = 4  # lines of the display besides the running jobs
FULL = 2**20  # a disk with fewer bytes left is full
BAR = 24  # width of the bar, in characters


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


@dataclass
class Job:
    """A running job."""

    name: str  # the rule and its wildcards: train_agent (colors, seed 0)
    log: str | None
    started: float

    @classmethod
    def of(cls, info: dict[str, Any]) -> "Job":
        """The job of a record of Snakemake's."""
        values = [value if name == "task" else f"{name} {value}" for name, value in info["wildcards"].items() if value]
        name = f"{info['rule_name']} ({', '.join(values)})" if values else info["rule_name"]
        return cls(plain(name), next(iter(info["log"]), None), time.monotonic())

    @property
    def error(self) -> str:
        """Why it failed, in one sentence, and where to read more."""
        if self.log is None:
            return "it has no log; run again with --verbose."
        return f"{plain(error_in(Path(self.log)))} ({plain(self.log)})"

    def __str__(self) -> str:
        return clock_time(time.monotonic() - self.started)


class Progress:
    """How far a run is."""

    def __init__(self) -> None:
        self.begun, self.total, self.done = time.monotonic(), 0, 0
        self.running: dict[int, Job] = {}
        self.failed: list[str] = []  # what to say about each failed job

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.begun

    def __str__(self) -> str:
        jobs = f"{self.done} of {self.total} jobs"
        if not self.total / 10 <= self.done < self.total or not self.done:
            return jobs
        return f"{jobs}, about {clock_time(self.seconds / self.done * (self.total - self.done))} left"

    def drawn(self, logs: Path, lines: int) -> "Group":
        """Running jobs as far as they fit, the share that is done, the time left, and where the logs are."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table, running = Table.grid(padding=(0, 2)), list(self.running.values())
        for job in running[:lines]:
            table.add_row(Text(f"▸ {job.name}", style="cyan"), str(job))
        if len(running) > lines:
            table.add_row(Text(f"and {len(running) - lines} more", style="dim"))
        line = Text("Working out what has to be made …", style="dim")
        if self.total:
            full = round(BAR * self.done / self.total)
            line = Text.assemble(("━" * full, "green"), ("━" * (BAR - full), "dim"))
            line.append(f"  {self}, {clock_time(self.seconds)} so far")
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
        common = self.common_settings
        self.as_snakemake = bool(common.dryrun or common.quiet or common.verbose or common.debug_dag)
        self.started = self.nothing_to_do = self.stopped = self.closed = False
        self.notes: list[str] = []  # what Snakemake says before a run, which is shown if none follows
        self.errors: list[str] = []  # that are of no job
        self.complete_log = ""
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
        info: dict[str, Any] = record.__dict__
        match info.get("event"):
            case LogEvent.WORKFLOW_STARTED:
                self.started = True
                self._start_display()
            case LogEvent.RUN_INFO:
                self.progress.total = info["stats"]["total"]
                if self.live is None:
                    print(f"{self.progress.total} jobs to run.", flush=True)
            case LogEvent.JOB_INFO:
                self.progress.running[info["jobid"]] = Job.of(info)
            case LogEvent.JOB_FINISHED:
                self._end(info["job_id"])
            case LogEvent.PROGRESS:  # the total changes if a checkpoint adds jobs
                self.progress.total = info["total"]
            case LogEvent.JOB_ERROR:
                self._end(info["jobid"], failed=True)
            case LogEvent.GROUP_ERROR:
                for job in info["job_error_info"]:
                    self._end(job["jobid"], failed=True)
            case LogEvent.SHELLCMD | LogEvent.RESOURCES_INFO | LogEvent.JOB_STARTED | LogEvent.GROUP_INFO:
                pass
            case _:
                self._note(record)

    def _end(self, number: int, failed: bool = False) -> None:
        job = self.progress.running.pop(number, None)
        if job is None:  # it is known to have ended
            return
        self.progress.done += not failed
        if failed:
            self.progress.failed.append(f"{job.name} failed: {job.error}")
        if self.live is None:
            how = f"FAILED after {job}: {job.error}" if failed else f"took {job}"
            print(f"[{self.progress}] {job.name} {how}", flush=True)
        elif failed:
            self._say(f"✗ {self.progress.failed[-1]}", "red")

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

            console, logs = Console(highlight=False), self.results / "logs"
            lines = max(console.height - AROUND, 1)
            self.live = Live(
                get_renderable=lambda: self.progress.drawn(logs, lines),
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
            kept = "; finished results are kept, and the same command resumes from there" if progress.total else ""
            lines = ["", *(progress.failed or self.errors)]
            lines += [f"The run ended after {took} without making everything{kept}."]
            lines += [f"Snakemake's complete output: {self.complete_log}"] if self.complete_log else []
            self._say("\n".join(lines))
