"""The benchmarks run, and what they call fast is what they call naive."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_the_command_writes_its_results_and_scores_as_the_naive_loop_does(tmp_path):
    command = [sys.executable, str(FOLDER / "run.py"), "--quick", "--only", "dictionary", "--to", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    rows = json.loads((tmp_path / "results.json").read_text())["subjects"]["dictionary"]["rows"]
    assert {row["criterion"] for row in rows} == {"default", "Algorithm 1"}
    assert all(row["error"] < 1e-6 for row in rows)
    text = (tmp_path / "results.md").read_text()
    assert "torch" in text
    assert "## Dictionary scoring" in text


@pytest.mark.parametrize("subject", ["world", "updates", "features", "parsing", "corpora"])
def test_a_subject_measures_all_that_its_table_shows(subject, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module(subject)
    if subject == "corpora":  # whose models are those of a run, however quick
        monkeypatch.setattr(module, "FITTING", module.FITTING.model_copy(update={"steps": 200}))
    (case,) = module.cases(quick=True)
    row = case | module.measure(**case)
    assert set(module.COLUMNS.values()) <= set(row)
