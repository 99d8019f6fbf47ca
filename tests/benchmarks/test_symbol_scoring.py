"""What the benchmark of symbols calls fast is what it calls naive."""

import importlib
from pathlib import Path


def test_scores_are_those_of_every_sequence_by_itself(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    module = importlib.import_module("symbols")
    cases = module.cases(quick=True)
    assert {case["kind"] for case in cases} == {"position", "autoregressive"}
    for case in cases:
        row = case | module.measure(**case)
        assert set(module.COLUMNS.values()) <= set(row)
        assert row["error"] < 1e-4
