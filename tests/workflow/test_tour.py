"""The notebook examples/tour.ipynb runs on the results of a quick run."""

import json

import matplotlib.pyplot as plt
import pytest
from copies import ROOT

from neuralese.translate.criteria import KINDS

CELLS = json.loads((ROOT / "examples/tour.ipynb").read_text(encoding="utf-8"))["cells"]


@pytest.fixture
def toured(project, monkeypatch) -> dict:
    """The variables after all cells have run."""
    monkeypatch.setenv("NEURALESE_RESULTS", str(project.quick))
    known, backend = dict(KINDS), plt.get_backend()
    plt.switch_backend("agg")
    names = {"__name__": "tour"}
    for cell in CELLS:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    yield names
    plt.close("all")
    plt.switch_backend(backend)
    KINDS.clear()
    KINDS.update(known)


def test_the_tour_runs(toured):
    assert set(toured["found"]["rank"]) == {1, 2, 3, 4, 5}
    assert len(toured["english"]) == len(toured["messages"]) == 6
    assert set(toured["english"]) <= set(toured["words"])
    assert len(plt.get_fignums()) >= 4
    scores = {name: toured["accuracy"](each) for name, each in toured["compared"].items()}
    assert scores["same-guess"] > scores["random"]
