"""What a person sees of a run: how far it is, why a job failed, what came out; and how Snakemake is called."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from neuralese.cli.run import find_config, shipped_configs, snakemake_command
from neuralese.cli.summary import print_summary
from neuralese.errors import NeuraleseError
from neuralese.evaluate.comparison import compare
from neuralese.stages.job import logged
from neuralese.storage.tables import read_table, write_table
from snakemake_logger_plugin_neuralese import error_in

ROOT = Path(__file__).parents[2]
SNAKEFILE = """
rule all:
    input: "results/birds/seed0/agent", "results/colors/seed0/agent"
rule train_agent:
    input: "results/{task}/raw"
    output: "results/{task}/seed{seed}/agent"
    log: "results/logs/{task}/seed{seed}/train_agent.log"
    shell: "echo '09:00:01 ERROR the disk is full; make room.' > {log}; test {wildcards.task} = birds && touch {output}"
rule download:
    output: "results/{task}/raw"
    log: "results/logs/{task}/download.log"
    shell: "echo a script speaks >&2; touch {output}"
"""


def start_snakemake(folder: Path, *arguments: str, snakefile: str = SNAKEFILE, path: str = "", **more):
    """Run a small workflow with the view."""
    (folder / "Snakefile").write_text(snakefile)
    command = [sys.executable, "-m", "snakemake", "--logger", "neuralese", "--cores", "1", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [path, str(ROOT / "src")]))}
    return subprocess.Popen(command, cwd=folder, env=environment, text=True, **more)


def run_snakemake(folder: Path, *arguments: str, **more) -> subprocess.CompletedProcess:
    """The same, to its end."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = start_snakemake(folder, *arguments, **pipes | more)
    said = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, *said)


# ---- the view


def test_without_a_terminal_there_is_a_line_for_each_job_and_a_failed_one_says_why(tmp_path):
    done = run_snakemake(tmp_path, "--keep-going")
    assert done.returncode == 1
    first, *lines = done.stdout.splitlines()
    assert first == "5 jobs to run."
    assert any(line.startswith("[1 of 5 jobs") and "download (" in line for line in lines)
    said = "the disk is full; make room. (results/logs/colors/seed0/train_agent.log)"
    assert any(f"train_agent (colors, seed 0) FAILED after 0:00: {said}" in line for line in lines)
    assert f"train_agent (colors, seed 0) failed: {said}" in done.stderr
    assert "without making everything; finished results are kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Error in rule" not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_run_that_succeeds_ends_with_its_summary_also_if_there_is_nothing_to_do(tmp_path):
    target = "results/birds/seed0/agent"
    done = run_snakemake(tmp_path, target)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("2 jobs in 0:0")
    assert "logs: results/logs" in done.stdout
    again = run_snakemake(tmp_path, target)
    assert again.stdout.splitlines()[-1].startswith("Everything was up to date; nothing to do")
    (tmp_path / "results/tables").mkdir()
    (tmp_path / "results/tables/comparison.csv").write_text("nothing")
    damaged = run_snakemake(tmp_path, target)
    assert "The summary cannot be shown: " in damaged.stderr


@pytest.mark.slow
def test_what_is_no_run_is_printed_as_snakemake_does(tmp_path):
    dry = run_snakemake(tmp_path, "--dry-run")
    assert "rule train_agent:" in dry.stdout
    assert "This was a dry-run" in dry.stdout
    listed = run_snakemake(tmp_path, "--list-rules")
    assert listed.stdout.splitlines() == ["all", "download", "train_agent"]
    assert run_snakemake(tmp_path, "--quiet", "all", "--", "results/birds/raw").stdout == ""
    refused = run_snakemake(tmp_path, "nothing")
    assert refused.returncode == 1
    assert "No rule to produce nothing" in refused.stderr


def test_on_a_terminal_the_display_goes_away_and_scripts_do_not_write_into_it(tmp_path):
    pty = pytest.importorskip("pty")
    main, side = pty.openpty()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(run_snakemake, tmp_path, "--keep-going", stdin=side, stdout=side, stderr=side)
        read = b""
        while not running.done() or select.select([main], [], [], 0)[0]:
            read += os.read(main, 1024) if select.select([main], [], [], 0.1)[0] else b""
        done, said = running.result(), read.decode()
    os.close(side)
    assert done.returncode == 1
    assert "/5" in said
    assert "✗ train_agent (colors, seed 0) failed: the disk is full" in said.replace("\r\n", " ")
    assert "a script speaks" not in said
    assert "\x1b[?25h" in said  # the cursor is shown again


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ("09:00:00 INFO fine\n09:00:01 ERROR there is no mirror; name another.\n", "there is no mirror; name another."),
        (
            "09:00:01 ERROR this is a bug in neuralese:\nTraceback:\n  File x\nKeyError: 'a'\n",
            "neuralese: KeyError: 'a'",
        ),
        ("", "its log is empty: it was killed, or memory or disk ran out."),
        ("Killed\n", "Killed"),
        (None, "it left no log; run again with --verbose to see Snakemake's output."),
    ],
)
def test_a_failed_job_is_told_by_the_sentence_of_its_log(tmp_path, log, says):
    path = tmp_path / "job.log"
    if log is not None:
        path.write_text(log)
    assert error_in(str(path)).removesuffix(f" ({path})").endswith(says)


def test_ctrl_c_in_a_job_is_no_bug(tmp_path):
    log = tmp_path / "job.log"
    with pytest.raises(SystemExit) as caught, logged(log):
        raise KeyboardInterrupt
    assert caught.value.code == 130
    assert "it was stopped; the same command goes on from where it was." in error_in(str(log))


def test_ctrl_c_ends_a_run_with_a_word_on_how_to_go_on(tmp_path):
    snakefile = 'rule all:\n    output: "made"\n    shell: "touch begun; sleep 60"\n'
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs ignore it, and theirs
    more = {"stderr": subprocess.PIPE, "start_new_session": True, "preexec_fn": heed}
    with start_snakemake(tmp_path, snakefile=snakefile, **more) as run:
        while not (tmp_path / "begun").exists():
            assert run.poll() is None
            time.sleep(0.1)
        os.killpg(run.pid, signal.SIGINT)
        _, told = run.communicate(timeout=60)
    assert run.returncode != 0
    assert told.splitlines()[-1] == "Stopped. What is finished is kept; the same command goes on from where it was."


def test_the_summary_has_the_main_figures_the_data_and_the_report(results, tmp_path, capsys):
    folder = tmp_path / "results"
    shutil.copytree(results, folder)
    belief = read_table(folder / "tables/belief.parquet", "belief").to_pandas()
    compare(belief).to_csv(folder / "tables/comparison.csv", index=False)
    (folder / "report").mkdir()
    (folder / "report/index.html").write_text("")
    row = {"measure": "p_value", "variable": "", "task": "colors", "seed": 0, "data": "embedded"}
    for p_value, shown in ((0.28, False), (0.01, True)):  # messages that say nothing about states have no figures
        write_table(folder / "colors/seed0/protocol.parquet", pd.DataFrame([{**row, "value": p_value}]), "protocol")
        print_summary(folder, "5 jobs in 0:10.")
        said = capsys.readouterr().out
        assert ("colors: these messages carry no information about these states" in said) != shown
        assert bool(re.search(r"colors\s+robot → human", said)) == shown
        assert re.search(r"birds\s+human → robot\s+R\s+0\.50", said)
    assert "EMBEDDED DATA: colors ran on a generated stand-in" in said
    assert f"Report: {folder / 'report/index.html'}" in said
    assert said.endswith("5 jobs in 0:10.\n")


# ---- Snakemake's arguments


@pytest.fixture
def empty(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


DEFAULT, QUICK = (str(ROOT / f"config/{name}.yaml") for name in ("config", "quick"))


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ([], ["--cores", "all", "--configfile", DEFAULT]),
        (["all", "-c2"], ["--configfile", DEFAULT, "all", "-c2"]),
        (["--profile", "p"], ["--configfile", DEFAULT, "--profile", "p"]),
        (["-np"], ["--cores", "all", "--configfile", DEFAULT, "-np"]),
        (["all", "--configfile", "quick", "-j", "2"], ["--configfile", DEFAULT, QUICK, "all", "-j", "2"]),
        (["-c", "2", "--configfile", "quick", "all"], ["--configfile", DEFAULT, QUICK, "-c", "2", "--", "all"]),
        (["-c2", "--configfile=quick", "all"], ["--configfile", DEFAULT, QUICK, "-c2", "all"]),
        (
            ["-c2", "--configfile", "quick", "config/paper.yaml", "results/quick/report/index.html", "all"],
            [
                *("--configfile", DEFAULT, QUICK, str(ROOT / "config/paper.yaml"), "-c2"),
                *("--", "results/quick/report/index.html", "all"),
            ],
        ),
        (
            ["-c2", "--forcerun", "download", "--", "--configfile"],
            ["--configfile", DEFAULT, "-c2", "--forcerun", "download", "--", "--configfile"],
        ),
        (["-c2", "--config", "a=1", "all"], ["--configfile", DEFAULT, "--config", "a=1", "-c2", "--", "all"]),
        (["-c2", "--config", "results=a.b"], ["--configfile", DEFAULT, "--config", "results=a.b", "-c2"]),
        (
            ["-c2", "-C", "a=3", "seeds=[0]", "--rerun-triggers", "a.b=2"],
            ["--configfile", DEFAULT, "--config", "a=3", "seeds=[0]", "-c2", "--rerun-triggers", "a.b=2"],
        ),
    ],
)
def test_snakemake_gets_the_configs_that_are_named_and_everything_else_unchanged(empty, arguments, passed):
    full, _ = snakemake_command(arguments)
    assert full[:5] == [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")]
    assert full[5:] == passed


def test_the_shipped_config_comes_first_unless_the_folder_has_one(empty):
    (empty / "config").mkdir()
    (empty / "config/config.yaml").write_text("seeds: [1]\n")
    assert "--configfile" not in snakemake_command([])[0]
    elsewhere, _ = snakemake_command(["--directory", str(ROOT / "src")])
    assert str(shipped_configs()["config"]) in elsewhere


def test_the_results_folder_is_the_one_of_the_last_config(empty):
    assert snakemake_command([])[1] == "results"
    assert snakemake_command(["--configfile", "quick", "all"])[1] == "results/quick"
    assert snakemake_command(["--configfile", "quick", "--config", "results=here"])[1] == "here"


def test_init_writes_configs_and_overwrites_nothing(shell, tmp_path):
    said = shell.prints("init", tmp_path / "mine")
    assert "neuralese run --configfile quick" in said
    names = {path.name for path in (tmp_path / "mine/config").iterdir()}
    assert names >= {"config.yaml", "quick.yaml", "paper.yaml", "README.md"}
    assert "# " in (tmp_path / "mine/config/config.yaml").read_text()
    assert "exists already" in shell.fails("init", tmp_path / "mine")


def test_a_name_is_a_path_or_one_of_this_folder_or_one_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_config("quick") == find_config("config/quick.yaml") == ROOT / "config/quick.yaml"
    (tmp_path / "config").mkdir()
    (tmp_path / "config/quick.yaml").write_text("seeds: [1]\n")
    (tmp_path / "mine.yaml").write_text("seeds: [2]\n")
    assert find_config("quick") == Path("config/quick.yaml")
    assert find_config("mine.yaml") == Path("mine.yaml")
    with pytest.raises(NeuraleseError, match=r"there is no config 'quack'.* faithful, paper, quick"):
        find_config("quack")
    with pytest.raises(NeuraleseError, match=r"there is no config 'elsewhere/quick\.yaml'"):
        find_config("elsewhere/quick.yaml")
