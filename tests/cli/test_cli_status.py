import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SNAKEFILE = """
rule all:
    input: "results/colors/seed0/messages.parquet", "results/tables/belief.parquet"
rule messages:
    input: "results/colors/seed0/agent.safetensors"
    output: "results/colors/seed0/messages.parquet"
    shell: "touch {output}"
rule agent:
    output: "results/colors/seed0/agent.safetensors", "results/colors/seed0/history.parquet"
    shell: "touch {output}"
rule belief:
    output: "results/tables/belief.parquet"
    shell: "mkdir -p results/colors; touch {output}"
"""


@pytest.fixture
def workflow(shell, tmp_path, monkeypatch):
    """A small workflow after a run, and a way to ask for its status."""
    monkeypatch.chdir(tmp_path)
    Path("Snakefile").write_text(SNAKEFILE)
    Path("config").mkdir()
    Path("config/config.yaml").write_text("results: results\n")
    monkeypatch.setattr("neuralese.cli.run.home", lambda: tmp_path)
    subprocess.run([sys.executable, "-m", "snakemake", "--cores", "1"], check=True, capture_output=True)
    return shell


def test_an_empty_folder_has_no_results_yet(shell, tmp_path):
    assert "holds no results yet; make them with: neuralese run" in shell.fails("status", "--results", tmp_path)


@pytest.mark.slow
def test_after_a_complete_run_everything_is_there(workflow):
    page = workflow.prints("status")
    assert "colors seed 0  2 of 2" in page
    assert "tables         1 of 1" in page
    assert "Everything is there and up to date." in page
    assert all(entry["state"] == "made" and entry["made"] for entry in workflow.json("status")["files"])


@pytest.mark.slow
def test_what_is_missing_and_out_of_date_is_listed_by_stage_with_the_reason(workflow):
    os.remove("results/tables/belief.parquet")
    Path("results/colors/seed0/agent.safetensors").write_text("another agent")
    states = {entry["stage"]: (entry["state"], entry["reason"]) for entry in workflow.json("status")["files"]}
    assert states["belief"] == ("missing", "missing")
    assert states["messages"] == ("out of date", "updated input files")
    assert states["agent"] == ("made", "")
    page = workflow.prints("status")
    (row,) = [line for line in page.splitlines() if line.startswith("tables ")]
    assert row.split() == ["tables", "0", "of", "1", "belief"]
    assert "2 of 4 files are to be made." in page
    files = workflow.prints("status", "--files")
    assert "out of date" in files
    assert "results/colors/seed0/messages.parquet" in files


@pytest.mark.slow
def test_a_workflow_that_cannot_be_read_is_said_so(workflow):
    Path("Snakefile").write_text("rule all: nonsense\n")
    assert "to see why, run: neuralese run --summary" in workflow.fails("status")
