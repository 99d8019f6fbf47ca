"""Two runs are compared cell by cell."""

import importlib
from pathlib import Path

import pandas as pd
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


def test_cells_that_both_runs_have_are_compared_by_their_own_margins(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module("equivalence")

    def run(**cells: list[float]) -> pd.DataFrame:
        parts = [
            pd.DataFrame({"cell": cell, "measure": measure, "seed": range(len(values)), "value": values})
            for name, values in cells.items()
            for cell, measure in [name.split("__")]
        ]
        return pd.concat(parts)

    close, apart = [0.8, 0.801, 0.799], [0.8, 0.85, 0.75]
    before = run(a__accuracy=close, b__reward=[2.4, 2.41, 2.39], c__accuracy=apart, gone__accuracy=close)
    after = run(a__accuracy=[0.83, 0.831, 0.829], b__reward=[2.43, 2.44, 2.42], c__accuracy=apart, new__accuracy=close)
    table = module.compared(before, after).set_index("cell")
    assert list(table.index) == ["a", "b", "c"]
    assert list(table["verdict"]) == ["beyond the margin", "equivalent", "open"]
    assert list(table["difference"]) == pytest.approx([0.03, 0.03, 0])
    assert list(table["p"] < 0.05) == [False, True, False]
