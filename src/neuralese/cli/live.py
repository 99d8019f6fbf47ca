"""The view of a run: on a terminal a table of stages and tasks, kept up to date; elsewhere a line for each job."""

from types import TracebackType
from typing import Any

import click

from neuralese.cli.output import plain
from neuralese.cli.progress import ALL, DONE, FAILED, RUNNING, Job, Progress, sentence

AROUND = 9  # lines that the view needs besides its stages
MARKS = {DONE: "✓", RUNNING: "▸", FAILED: "✗"}
STYLES = {DONE: "green", RUNNING: "bold cyan", FAILED: "bold red"}


def clock_time(seconds: float) -> str:
    """Seconds as minutes, or hours, such as 1:05 and 2:00:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Lines:
    """A line for each job that ends."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.announced = progress, False

    def __enter__(self) -> "Lines":
        return self

    def __exit__(self, *_: Any) -> None:
        """There is nothing to clean up."""

    def take(self, ended: list[Job]) -> None:
        """Print what has happened since."""
        if self.progress.total and not self.announced and self.progress.jobs:
            self.announced = True
            click.echo(f"{self.progress.total} jobs to run.")
        for job in ended:
            click.echo(self._line(job))

    def _line(self, job: Job) -> str:
        left = self.progress.seconds_left
        until = f", about {clock_time(left)} left" if left is not None and job.state == DONE else ""
        place = f"[{self.progress.number(DONE)}/{self.progress.total}, {self.progress.share:.0%}{until}]"
        took = f"{'took' if job.state == DONE else 'FAILED after'} {clock_time(job.seconds)}"
        return f"{place} {job.name} {took}" + (f": {said(job)}" if job.state == FAILED else "")


def said(job: Job) -> str:
    """Why a job failed, in one sentence, and where to read more."""
    return (
        f"{plain(sentence(job.log, job.told))} ({job.log})" if job.log else "it has no log; run again with --verbose."
    )


class Live:
    """A table of stages and tasks at the bottom of a terminal; if drawing it fails, Snakemake's own output follows."""

    def __init__(self, progress: Progress, logs: str) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self.progress, self.logs, self.broken = progress, logs, False
        self.console = Console(highlight=False)
        self.live = RichLive(
            get_renderable=self._drawn,
            console=self.console,
            refresh_per_second=2,
            transient=True,
        )

    def __enter__(self) -> "Live":
        self.live.start(refresh=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.live.stop()

    def take(self, ended: list[Job]) -> None:
        """Print failures above the table; everything else is in the table."""
        if self.broken:
            raise RuntimeError("the view cannot be drawn")
        from rich.text import Text

        for job in ended:
            if job.state == FAILED:
                self.console.print(Text(f"✗ {job.name} failed: {said(job)}", style="red"))

    def _drawn(self) -> Any:
        try:
            return draw(self.progress, self.logs, self.console.width, self.console.height - AROUND)
        except Exception:  # it is drawn in its own thread, which must keep running
            self.broken = True
            return ""


def draw(progress: Progress, logs: str, width: int, lines: int) -> Any:
    """The view: a row for each stage that fits, a column for each task, and the time left."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not progress.counts:
        return Text("Working out what has to be made …", style="dim")
    jobs = list(progress.jobs.values())
    tasks = list(dict.fromkeys(job.task for job in sorted(jobs, key=lambda job: job.task) if job.task != ALL))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("stage", no_wrap=True)
    table.add_column("done", justify="right", no_wrap=True)
    bar = 12 if width >= 76 else 0
    if bar:
        table.add_column("", no_wrap=True)
    for task in tasks:
        table.add_column(task, no_wrap=True, overflow="ellipsis")
    rules, hidden = chosen_rules(progress, max(lines, 3))
    for rule in rules:
        own = progress.of(rule)
        done, count = sum(job.state == DONE for job in own), progress.counts[rule]
        cells = [Text(rule), Text(f"{done}/{count}"), *([filled(done / count, bar)] if bar else [])]
        table.add_row(*cells, *(_cell([job for job in own if job.task == task], progress.clock()) for task in tasks))
    left = progress.seconds_left
    until = f"about {clock_time(left)} left" if left is not None else "time left: unknown"
    elapsed = clock_time(progress.clock() - progress.started)
    total = Text.assemble(
        filled(progress.share, 24), f" {progress.share:.0%}  {progress.number(DONE)} of {progress.total} jobs, "
    )
    total.append(f"{elapsed} so far, {until}")
    return Group(table, Text(hidden, style="dim"), total, Text(f"logs: {logs}", style="dim"))


def chosen_rules(progress: Progress, most: int) -> tuple[list[str], str]:
    """The rules to show (running or failed first, then upcoming, then the others), and what is left out."""

    def urgency(rule: str) -> int:
        states = {job.state for job in progress.of(rule)}
        if states & {RUNNING, FAILED}:
            return 0
        return 2 if sum(job.state == DONE for job in progress.of(rule)) >= progress.counts[rule] else 1

    ordered = sorted(progress.counts, key=urgency)
    shown = set(ordered[:most])
    left = [urgency(rule) for rule in ordered[most:]]
    parts = [f"{left.count(2)} stages done"] * bool(left.count(2)) + [f"{left.count(1)} to come"] * bool(left.count(1))
    return [rule for rule in progress.counts if rule in shown], f"and {', '.join(parts)}" if parts else ""


def filled(share: float, width: int) -> Any:
    """A bar."""
    from rich.text import Text

    full = round(share * width)
    return Text.assemble(("━" * full, "green"), ("━" * (width - full), "dim"))


def _cell(jobs: list[Job], now: float) -> Any:
    """What a stage does for a task: jobs done, jobs running and for how long, jobs failed."""
    from rich.text import Text

    parts: list[str | tuple[str, str]] = []
    for state in (DONE, RUNNING, FAILED):
        own = [job for job in jobs if job.state == state]
        if own:
            number = f" {len(own)}" if len(own) > 1 else ""
            since = f" {clock_time(now - min(job.started for job in own))}" if state == RUNNING else ""
            parts += [(f"{MARKS[state]}{number}{since}", STYLES[state]), " "]
    return Text.assemble(*parts[:-1])
