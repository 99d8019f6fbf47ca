import os
import re

import pytest

SNAKEFILE = """
rule all:
    input: "results/colors/seed0/messages.parquet"
rule messages:
    input: "results/colors/seed0/agent.safetensors"
    output: "results/colors/seed0/messages.parquet"
    shell: "touch {output}"
rule agent:
    output: "results/colors/seed0/agent.safetensors"
    shell: "touch {output}"
"""


def test_an_empty_folder_has_no_results_yet(shell, tmp_path):
    assert "holds no results; name the folder of a run" in shell.fails("status", "--results", tmp_path)
    assert "does not exist; name the folder of a run" in shell.fails(
        "status", "--results", tmp_path / "nowhere", "--json"
    )
    assert "choose from colors" in shell.fails("status", "--task", "birds")


def test_what_is_there_what_is_missing_and_from_which_data(shell):
    status = shell.json("status")
    assert [(entry["task"], entry["data"]) for entry in status["data"]] == [("colors", "embedded")]
    states = {(entry["task"], entry["stage"]): entry["state"] for entry in status["files"]}
    assert states["colors", "dictionary"] == states["all", "belief"] == "made"
    assert states["colors", "human speaker"] == states["all", "bound"] == "missing"
    assert ("colors", "behavior") not in states  # nobody drives there
    page = shell.prints("status")
    assert "colors seed 0  4 of 10" in page
    assert "run this where the Snakefile" in page


def test_costs_are_read_from_the_benchmarks(shell):
    (cost,) = shell.json("status")["costs"]
    wanted = {"task": "colors", "stage": "train_agent", "jobs": 1, "seconds": 12.5, "longest": 12.5, "memory_mb": 346}
    assert cost == wanted
    assert "train_agent" in shell.prints("status", "--task", "colors")


@pytest.fixture
def workflow(tmp_path, monkeypatch):
    """A workflow of two rules whose files exist, the input older than the output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)
    folder = tmp_path / "results/colors/seed0"
    folder.mkdir(parents=True)
    for age, name in ((50, "agent.safetensors"), (40, "messages.parquet"), (30, "dictionary.parquet")):
        (folder / name).touch()
        os.utime(folder / name, (1.7e9 - age, 1.7e9 - age))
    return folder


def test_snakemake_is_asked_what_is_out_of_date(shell, workflow):
    states = {entry["stage"]: (entry["state"], entry["reason"]) for entry in shell.json("status")["files"]}
    assert states["messages"] == ("made", "")
    assert states["dictionary"] == ("made", "not of this config")
    assert "protocol" not in states  # neither made nor asked for
    os.utime(workflow / "agent.safetensors")
    assert re.search(r"messages.parquet +out of date .* input", shell.prints("status", "--files"))


def test_a_workflow_that_cannot_be_read_is_said_so(shell, workflow):
    (workflow.parents[2] / "Snakefile").write_text("rule all: nonsense\n")
    assert "--no-snakemake" in shell.fails("status")
    assert "Stages" in shell.prints("status", "--no-snakemake")
