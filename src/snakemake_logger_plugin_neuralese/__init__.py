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
from typing import TYPE_CHECKING, Any, NamedTuple

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.settings import LogHandlerSettingsBase

from neuralese.cli.output import clock_time, on_terminal, plain

if TYPE_CHECKING:  # Snakemake imports this module whenever it starts
    from rich.progress import Progress

SHOWN = 3  # running jobs that the display names


def error_in(log: str | None) -> str:
    """The error in the log of a failed job, with the exception if it is a bug, and where the log is."""
    if log is None:
        return "it has no log; run again with --verbose."
    try:
        lines = [line.strip() for line in Path(log).read_text(encoding="utf-8", errors="replace").splitlines()]
    except OSError:
        return "it left no log; run again with --verbose to see Snakemake's output."
    lines = [line for line in lines if line] or ["its log is empty: it was killed, or memory or disk ran out."]
    error = next((line.split(" ERROR ", 1)[1] for line in reversed(lines) if " ERROR " in line), "")
    text = f"{error} {lines[-1]}" if error.endswith(":") else error or lines[-1]
    return f"{plain(text)} ({plain(log)})"


class Job(NamedTuple):
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
        assert isinstance(self.settings, LogHandlerSettings)
        self.results, self.begun = Path(self.settings.results), time.monotonic()
        common = self.common_settings
        self.as_snakemake = bool(common.dryrun or common.quiet or common.verbose or common.debug_dag)
        self.started = self.nothing_to_do = self.stopped = self.closed = False
        self.total = self.done = 0
        self.running: dict[int, Job] = {}
        self.failed: list[str] = []  # what to say about each failed job
        self.notes: list[str] = []  # what Snakemake says before a run, which is shown if none follows
        self.errors: list[str] = []  # that are of no job
        self.display: Progress | None = None  # on a terminal
        self.stderr = sys.stderr  # if it is a terminal, scripts do not get it: they would write into the display

    def emit(self, record: logging.LogRecord) -> None:
        """Show a record of Snakemake's."""
        if not self.as_snakemake:
            try:
                self._show(record)
            except Exception:
                self.handleError(record)
        elif text := self.format(record):
            print(text, file=sys.stdout if self.common_settings.dryrun else self.stderr, flush=True)

    def close(self) -> None:
        """Say how the run ended."""
        if self.display:
            self.display.stop()
            self.display = None
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
                self.total = info["stats"]["total"]
                if not self.display:
                    print(f"{self.total} jobs to run.", flush=True)
            case LogEvent.PROGRESS:  # the total changes if a checkpoint adds jobs
                self.total = info["total"]
            case LogEvent.JOB_INFO:
                self.running[info["jobid"]] = Job.of(info)
            case LogEvent.JOB_FINISHED:
                self._end(info["job_id"])
            case LogEvent.JOB_ERROR:
                self._end(info["jobid"], failed=True)
            case LogEvent.SHELLCMD | LogEvent.RESOURCES_INFO | LogEvent.JOB_STARTED | LogEvent.GROUP_INFO:
                pass
            case _:
                self._note(record)
        if self.display:
            names = [job.name for job in self.running.values()]
            more = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
            text = ", ".join([*names[:SHOWN], *more]) or "working out what has to be made"
            (shown,) = self.display.task_ids
            self.display.update(shown, description=text, completed=self.done, total=self.total or None)

    def _end(self, number: int, failed: bool = False) -> None:
        job = self.running.pop(number, None)
        if job is None:  # it is known to have ended
            return
        self.done += not failed
        error = error_in(job.log) if failed else ""
        self.failed += [f"{job.name} failed: {error}"] * failed
        if not self.display:
            took = clock_time(time.monotonic() - job.started)
            how = f"FAILED after {took}: {error}" if failed else f"took {took}"
            print(f"[{self.done} of {self.total} jobs] {job.name} {how}", flush=True)
        elif failed:
            self._say(f"✗ {self.failed[-1]}", "red")

    def _say(self, text: str, style: str = "") -> None:
        """Print a text, above the display if there is one."""
        if self.display:
            from rich.text import Text

            self.display.console.print(Text(text, style=style))
        else:
            print(text, file=self.stderr, flush=True)

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
            from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            columns = TextColumn("{task.description}", markup=False), MofNCompleteColumn(), TimeElapsedColumn()
            left = TimeRemainingColumn(), TextColumn("left")
            self.display = Progress(*columns, *left, console=Console(highlight=False), transient=True)
            self.display.add_task("", total=None)
            self.display.start()

    def _conclude(self) -> None:
        from neuralese.cli.summary import print_summary

        took = clock_time(time.monotonic() - self.begun)
        if not self.started:
            for text in (*self.notes, *self.errors):
                self._say(text)
        elif self.nothing_to_do:
            print_summary(self.results, f"Everything was up to date; nothing to do ({took}).")
        elif self.total and self.done >= self.total and not self.errors:
            print_summary(self.results, f"{self.done} jobs in {took}.")
        elif self.stopped:
            self._say("\nStopped. What is finished is kept; the same command goes on from where it was.")
        else:
            kept = "; finished results are kept, and the same command resumes from there" if self.total else ""
            lines = ["", *(self.failed or self.errors)]
            lines += [f"The run ended after {took} without making everything{kept}."]
            self._say("\n".join(lines))
