"""`neuralese run`: the workflow, from any folder, with output that a person can follow."""

import os
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NoReturn

import click
import yaml

from neuralese.cli.live import Lines, Live, clock_time, said
from neuralese.cli.progress import FAILED, Progress
from neuralese.cli.results import Examples
from neuralese.pipeline.packaged import CONFIG, OWN_WORKFLOW, config_files, given, snakemake_command

# with these Snakemake answers a question, or does something other than running jobs: its own output is wanted
ASKED = (
    *("--help", "-h", "--version", "-v", "--dry-run", "--dryrun", "--summary", "-S", "--detailed-summary", "-D"),
    *("--list", "--list-rules", "-l", "--list-target-rules", "--lint", "--dag", "--rulegraph", "--filegraph"),
    *("--d3dag", "--report", "--unlock", "--touch", "-t", "--archive", "--list-input-changes", "--list-code-changes"),
    *("--list-params-changes", "--cleanup-metadata", "--delete-all-output", "--print-compilation"),
)
TAIL = 30  # lines of Snakemake's output shown if no job says what is wrong
STEPS = re.compile(r"-[a-zA-Z]*n[a-zA-Z]*")  # -n, alone or combined: -np
EXAMPLES = """
neuralese run
neuralese run --cores 2 --configfile quick
neuralese run --cores 8 --configfile paper
neuralese run --cores 8 --config 'tasks=[colors]' results=results/colors_only
neuralese run --verbose --cores 2 --configfile quick
neuralese run --dry-run
"""


@click.command(
    cls=Examples,
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--help"]},
)
@click.option("--verbose", is_flag=True, help="Show Snakemake's own output instead of the view.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[SNAKEMAKE ARGS]...")
def command(verbose: bool, arguments: tuple[str, ...]) -> None:
    """Run the workflow in the current folder; no clone is needed.

    Arguments are those of Snakemake. Without any, everything is made on all cores. A --configfile is a path, or the
    name of a config in ./config or of one that comes with the package: quick, paper, faithful. What config/config.yaml
    says, if it exists here (`neuralese init .` writes it), takes precedence over the defaults.
    """
    full = snakemake_command(arguments)
    asked = given(arguments, ASKED) or any(STEPS.fullmatch(each) for each in arguments)
    if verbose or asked or given(arguments, OWN_WORKFLOW):
        with started(full, progress := Progress(), stdout=None) as process:
            code = process.wait()
        ended(progress, code)
    results = results_folder(arguments)
    progress = Progress()
    code = follow(full, progress, results)
    if code == 0:
        from neuralese.cli.summary import print_summary

        print_summary(results, progress)
    elif not progress.stopped:
        print_failure(progress, code)
    ended(progress, code)


def ended(progress: Progress, code: int) -> NoReturn:
    """Exit with the code of Snakemake, or as an interrupted program does, once it is said how to go on."""
    if progress.stopped and code:
        raise KeyboardInterrupt
    sys.exit(code)


def results_folder(arguments: Sequence[str]) -> Path:
    """The folder that a run with these arguments writes to."""
    found = "results"
    for path in (CONFIG, *config_files(arguments)):
        with suppress(OSError, yaml.YAMLError, AttributeError):  # Snakemake says what is wrong with it
            found = yaml.safe_load(path.read_text(encoding="utf-8")).get("results", found)
    for argument in arguments:
        found = argument.removeprefix("results=") if argument.startswith("results=") else found
    return Path(str(found))


def follow(full: Sequence[str], progress: Progress, results: Path) -> int:
    """Run Snakemake and show its progress; return its exit code. If the view fails, show Snakemake's output."""
    raw: deque[str] = deque(maxlen=10_000)
    logs = results / "logs"
    try:
        view = Live(progress, f"{logs} (of jobs), .snakemake/log") if sys.stdout.isatty() else Lines(progress)
    except Exception:
        return subprocess.run(full).returncode
    with started(full, progress) as process:
        try:
            with view:
                for line in printed(process):
                    raw.append(line)
                    view.take(progress.read(line))
        except BrokenPipeError:
            raise
        except Exception as error:
            click.echo(f"(The view failed ({error}); Snakemake's own output follows.)", err=True)
            click.echo("".join(raw), nl=False, err=True)
            for line in printed(process):
                click.echo(line, nl=False, err=True)
                with suppress(Exception):
                    progress.read(line)
        return process.wait()


def printed(process: subprocess.Popen) -> IO[str]:
    """What Snakemake prints."""
    assert process.stdout is not None  # `started` asks for it
    return process.stdout


@contextmanager
def started(
    full: Sequence[str], progress: Progress, stdout: int | None = subprocess.PIPE
) -> Iterator[subprocess.Popen]:
    """Snakemake, whose output we read. An interrupt reaches it too: we wait until it has stopped its jobs."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        full,
        stdout=stdout,
        stderr=stdout and subprocess.STDOUT,
        stdin=stdout and subprocess.DEVNULL,
        env=environment,
        text=True,
        encoding="utf-8",
        errors="replace",
    )

    def stop(*_: object) -> None:  # a terminal sends it to both
        progress.stopped = True

    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, stop),
        signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
    }
    try:
        yield process
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if process.poll() is None:
            process.terminate()
            process.wait()
        if process.stdout:
            process.stdout.close()


def print_failure(progress: Progress, code: int) -> None:
    """Say why a run failed: a sentence for each failed job or, if none failed, Snakemake's last lines."""
    failed = [job for job in progress.jobs.values() if job.state == FAILED]
    click.echo(err=True)
    if failed:
        for job in failed:
            click.echo(f"{job.name} failed: {said(job)}", err=True)
    else:
        for line in progress.others[-TAIL:]:
            click.echo(line, err=True)
    elapsed = clock_time(progress.clock() - progress.started)
    kept = "; finished results are kept, and the same command resumes from there" if progress.jobs else ""
    click.echo(f"The run ended after {elapsed} without making everything (exit code {code}){kept}.", err=True)
    if progress.complete_log:
        click.echo(f"Snakemake's complete output: {progress.complete_log}", err=True)
