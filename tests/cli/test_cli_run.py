"""What a person sees of a run: how far it is, why a job failed, what came out."""

import io
import sys
from pathlib import Path

import pytest
from rich.console import Console

from neuralese.cli import run as command
from neuralese.cli.live import Lines, clock_time, draw
from neuralese.cli.main import cli
from neuralese.cli.progress import DONE, FAILED, RUNNING, Progress, sentence
from neuralese.cli.run import follow, results_folder
from neuralese.cli.summary import main_figures, print_summary
from neuralese.pipeline.stage import logged

# as Snakemake 9 prints it
BEGINNING = """Assuming unrestricted shared filesystem usage.
Building DAG of jobs...
Job stats:
job                  count
-----------------  -------
download                 2
train_agent              2
all                      1
total                    5

Select jobs to execute...
Execute 2 jobs...
[Tue Nov 17 15:18:44 2026]
localrule download:
    output: results/birds/raw
    log: results/logs/birds/download.log
    jobid: 18
    benchmark: results/benchmarks/birds/download.tsv
    reason: Missing output files: results/birds/raw
    wildcards: task=birds
    resources: tmpdir=/tmp, runtime=60, mem_mb=1000, mem=1 GB, mem_mib=954
[Tue Nov 17 15:18:44 2026]
localrule download:
    output: results/colors/raw
    log: results/logs/colors/download.log
    jobid: 5
    reason: Missing output files: results/colors/raw
    wildcards: task=colors
[Tue Nov 17 15:18:46 2026]
Finished jobid: 18 (Rule: download)
1 of 5 steps (20%) done
[Tue Nov 17 15:18:46 2026]
localrule train_agent:
    input: results/birds/features.parquet
    output: results/birds/seed0/agent.safetensors, results/birds/seed0/history.parquet
    log: results/logs/birds/seed0/train_agent.log
    jobid: 7
    wildcards: point=, task=birds, seed=0
"""
FAILURE = """[Tue Nov 17 15:19:46 2026]
Error in rule train_agent:
    message: None
    jobid: 7
    input: results/birds/features.parquet
    log: results/logs/birds/seed0/train_agent.log (check log file(s) for error details)
Complete log(s): .snakemake/log/x.log
"""


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def read(progress: Progress, text: str) -> list:
    return [job for line in text.splitlines(keepends=True) for job in progress.read(line)]


def drawn(progress: Progress, width: int, lines: int = 15) -> str:
    page = Console(file=io.StringIO(), width=width, highlight=False)
    page.print(draw(progress, "results/logs", width, lines))
    return page.file.getvalue()


def test_jobs_are_read_from_what_snakemake_prints():
    progress = Progress(Clock())
    (ended,) = read(progress, BEGINNING)
    assert (ended.rule, ended.task, ended.state) == ("download", "birds", DONE)
    assert progress.counts == {"download": 2, "train_agent": 2}
    assert {job.number: job.state for job in progress.jobs.values()} == {"18": DONE, "5": RUNNING, "7": RUNNING}
    assert progress.jobs["7"].name == "train_agent (birds, seed 0)"
    (failed,) = read(progress, FAILURE)
    assert (failed.number, failed.state, failed.log) == ("7", FAILED, "results/logs/birds/seed0/train_agent.log")
    assert progress.complete_log == ".snakemake/log/x.log"


def test_the_time_left_is_known_when_some_jobs_have_ended_and_falls_as_they_do():
    clock = Clock()
    progress = Progress(clock)
    read(progress, BEGINNING)
    assert progress.seconds_left is None
    clock.now = 10
    read(progress, "Finished jobid: 5 (Rule: download)\n")
    shares = [progress.share]
    clock.now = 100
    read(progress, "Finished jobid: 7 (Rule: train_agent)\n")
    shares.append(progress.share)
    assert 0 < shares[0] < shares[1] < 1
    left = progress.seconds_left
    assert 50 < left < 200  # one training as long as the one that took 100 seconds
    read(progress, "rule train_agent:\n    log: results/logs/colors/seed0/train_agent.log\n    jobid: 8\n")
    clock.now = 150
    assert progress.seconds_left < left


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_view_fits_and_shows_stages_tasks_and_where_the_logs_are(width):
    progress = Progress(Clock())
    read(progress, BEGINNING)
    page = drawn(progress, width)
    assert max(map(len, page.splitlines())) <= width
    head, *_ = page.splitlines()
    assert "birds" in head
    assert "colors" in head
    (row,) = [line for line in page.splitlines() if line.startswith("download")]
    assert "1/2" in row
    assert "✓" in row
    assert "▸" in row
    assert "results/logs" in page
    if width >= 80:
        assert "1 of 4 jobs" in page


def test_stages_that_do_not_fit_are_counted():
    progress = Progress(Clock())
    progress.counts = {f"stage_{number}": 1 for number in range(30)}
    page = drawn(progress, 80, 5)
    assert "and 25 to come" in page
    assert page.count("stage_") == 5


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ("09:00:00 INFO fine\n09:00:01 ERROR there is no mirror; name another.\n", "there is no mirror; name another."),
        (
            "09:00:01 ERROR this is a bug in neuralese:\nTraceback (most recent call last):\n  File x\nKeyError: 'a'\n",
            "this is a bug in neuralese: KeyError: 'a'",
        ),
        ("", "its log is empty: it was killed, or the machine ran out of memory."),
        ("Killed\n", "Killed"),
    ],
)
def test_a_failed_job_is_told_by_the_sentence_of_its_log(tmp_path, log, says):
    (tmp_path / "job.log").write_text(log)
    assert sentence(tmp_path / "job.log") == says


def test_a_job_without_a_log_says_how_to_see_more(tmp_path):
    assert "--verbose" in sentence(tmp_path / "nothing.log")


def pretend(text: str, code: int = 0) -> list[str]:
    """A command that prints what Snakemake would."""
    return [sys.executable, "-c", f"import sys; print({text!r}); sys.exit({code})"]


def test_without_a_terminal_there_is_a_line_for_each_job(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = Path("results/logs/birds/seed0/train_agent.log")
    log.parent.mkdir(parents=True)
    log.write_text("09:00:01 ERROR the disk is full; make room.\n")
    progress = Progress()
    assert follow(pretend(BEGINNING + FAILURE, 1), progress, Path("results")) == 1
    command.print_failure(progress, 1)
    printed = capsys.readouterr()
    first, done, failed = printed.out.splitlines()
    assert first == "4 jobs to run."
    assert "download (birds) took 0:00" in done
    assert "train_agent (birds, seed 0) FAILED after 0:00: the disk is full; make room." in failed
    assert "train_agent (birds, seed 0) failed: the disk is full; make room." in printed.err
    assert "Traceback" not in printed.err
    assert ".snakemake/log/x.log" in printed.err


def test_a_full_disk_that_leaves_the_log_empty_is_named(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log = Path("results/logs/birds/seed0/train_agent.log")
    log.parent.mkdir(parents=True)
    log.touch()
    progress = Progress()
    full = "results/x cannot be written: the disk is full; free some space, then run again."
    assert follow(pretend(f"{BEGINNING}{full}\n{FAILURE}", 1), progress, Path("results")) == 1
    command.print_failure(progress, 1)
    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert f"the disk is full; free some space, then run again. ({log})" in text
        assert "killed" not in text


def test_ctrl_c_ends_a_run_with_130_and_no_failure(capsys, monkeypatch):
    interrupted = "import os, signal, sys; os.kill(os.getppid(), signal.SIGINT); sys.exit(1)"
    monkeypatch.setattr(command, "snakemake_command", lambda _: [sys.executable, "-c", interrupted])
    for arguments in ([], ["--verbose"]):
        with pytest.raises(SystemExit) as caught:
            cli.main(["run", *arguments], prog_name="neuralese")
        assert caught.value.code == 130
        assert capsys.readouterr().err.splitlines() == [
            "",
            "Stopped. What is finished is kept; the same command goes on from where it was.",
        ]


def test_ctrl_c_in_a_job_is_no_bug(tmp_path):
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit) as caught, logged(log):
        raise KeyboardInterrupt
    assert caught.value.code == 130
    assert sentence(log) == "it was stopped; the same command goes on from where it was."


def test_what_snakemake_refuses_is_shown_in_its_words(capsys):
    progress = Progress()
    said = "WorkflowError in file Snakefile, line 3:\nconfig: 'sedes' is not a known key; did you mean 'seeds'?"
    assert follow(pretend(said, 1), progress, Path("results")) == 1
    command.print_failure(progress, 1)
    assert "'sedes' is not a known key; did you mean 'seeds'?" in capsys.readouterr().err


def test_if_the_view_fails_snakemakes_own_words_appear(capsys, monkeypatch):
    def fail(*_):
        raise ValueError("no such colour")

    monkeypatch.setattr(Lines, "take", fail)
    assert follow(pretend(BEGINNING), Progress(), Path("results")) == 0
    said = capsys.readouterr().err
    assert "no such colour" in said
    assert BEGINNING in said


def test_the_results_folder_is_the_one_of_the_last_config(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert results_folder([]) == Path("results")
    assert results_folder(["all", "--configfile", "quick"]) == Path("results/quick")
    assert results_folder(["--configfile", "quick", "--config", "results=here"]) == Path("here")


def test_the_summary_has_the_main_figures_the_data_and_the_report(shell, results, tmp_path, capsys):
    from neuralese.evaluate.comparison import compare
    from neuralese.storage.tables import read_table

    belief = read_table(results / "tables/belief.parquet", "belief").to_pandas()
    compare(belief).to_csv(tmp_path / "comparison.csv", index=False)
    head, rows = main_figures(tmp_path / "comparison.csv")
    assert head[:2] == ["task", "pair"]
    assert {row[0] for row in rows} >= {"colors", "birds"}
    assert all(len(row) == len(head) for row in rows)
    (results / "report").mkdir(exist_ok=True)
    (results / "report/index.html").write_text("")
    print_summary(results, Progress())
    said = capsys.readouterr().out
    assert "EMBEDDED DATA: colors ran on a generated stand-in" in said
    assert f"Report: {results / 'report/index.html'}" in said
    assert "nothing to do" in said


def test_init_writes_configs_and_overwrites_nothing(shell, tmp_path):
    said = shell.prints("init", tmp_path / "mine")
    assert "neuralese run --configfile quick" in said
    names = {path.name for path in (tmp_path / "mine/config").iterdir()}
    assert names >= {"config.yaml", "quick.yaml", "paper.yaml", "README.md"}
    assert "# " in (tmp_path / "mine/config/config.yaml").read_text()
    assert "exists already" in shell.fails("init", tmp_path / "mine")


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (65, "1:05"), (7200, "2:00:00"), (59.6, "1:00")])
def test_times_are_written_as_a_clock_shows_them(seconds, text):
    assert clock_time(seconds) == text
