"""The variants of the study are points of one sweep."""

import importlib
from pathlib import Path

import pytest

from neuralese import tasks
from neuralese.config import sweep
from neuralese.config.load import load
from neuralese.config.models import config_model
from neuralese.translate.criteria import kinds

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def study(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("study")


def test_every_variant_is_a_point_of_one_sweep_that_can_be_run(study):
    config = load(study.swept(Path("results"), [0, 1]), config_model(tasks.sections(), kinds())).model_dump()
    found = list(study.points())
    assert len({(task, str(values)) for _, task, values in found}) == len(found)
    for _, task, values in found:
        place = study.folder(Path("results"), task, values, 3)
        assert place.parts[-2:] == (task, "seed3")
        made = {folders["results"] for folders, _ in sweep.modules(config).values()}
        assert not values or str(place.parents[1]) in made


def test_a_variant_of_one_task_alone_is_not_asked_of_another(study):
    assert study.point("cross-fitted features", "colors") is None
    assert study.point("cross-fitted features", "birds") == {"birds.head.folds": 5}
