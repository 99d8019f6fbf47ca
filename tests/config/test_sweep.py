"""Sweeps: points, their configs, what of a point matters to a file, and tidy tables."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from neuralese import tasks
from neuralese.config.load import ConfigError, load, overlay, points
from neuralese.config.models import config_model
from neuralese.config.sweep import LAYERS, modules, name, point_folders, relevant
from neuralese.stages.report import tabulate_sweep
from neuralese.storage.tables import write_table
from neuralese.translate.criteria import kinds

ROOT = Path(__file__).parents[2]
MODEL = config_model(tasks.sections(), kinds())
CONFIG = load(yaml.safe_load((ROOT / "config/config.yaml").read_text()), MODEL).model_dump()
VALUES = st.integers() | st.floats(allow_nan=False) | st.booleans() | st.text("aZ9_.+-", min_size=1, max_size=5)
KEYS = st.sampled_from(["agent.noise", "agent.message", "training.colors.updates", "criteria.belief.weights"])
SWEEPS = st.dictionaries(KEYS, st.lists(VALUES, min_size=1, max_size=3, unique_by=str), min_size=1, max_size=3)


@given(SWEEPS)
def test_every_point_has_a_name_of_its_own(sweep):
    names = [name(point) for point in points(sweep)]
    assert len(set(names)) == len(names)
    assert not any("/" in text for text in names)


def test_laying_a_point_over_a_config_changes_its_keys_alone_and_leaves_the_config_as_it_was():
    config = {**CONFIG, "sweep": {"agent.noise": [0.1]}}
    laid = overlay(config, {"agent.noise": 0.1, "training.colors.double": True})
    assert laid["agent"] == {**CONFIG["agent"], "noise": 0.1}
    assert laid["training"]["colors"] == {**CONFIG["training"]["colors"], "double": True}
    changed = ("agent", "training", "sweep")
    assert {key: laid[key] for key in laid if key not in changed} == {
        key: CONFIG[key] for key in CONFIG if key not in changed
    }
    assert "sweep" not in laid
    assert config["agent"]["noise"] == 0.3


@pytest.mark.parametrize(
    ("sweep", "says"),
    [
        ({"agent.noize": [0.1]}, "config: sweep: 'agent.noize' is not a known key; did you mean 'noise'?"),
        ({"agent.noise": [0.1, -1]}, "config: sweep: 'agent.noise' is wrong: -1 should be greater than"),
        ({"agent": [1]}, "config: sweep: 'agent' is wrong: 1 should be a section"),
        ({"agent.noise.deep": [1]}, "config: sweep: 'agent.noise' is wrong"),
        (
            {"criteria.belief.weights": ["sum", "sideways"]},
            "config: sweep: 'criteria.belief.weights' is wrong: 'sideways'",
        ),
        ({"seeds": [1, 2]}, "config: sweep: 'seeds' cannot be swept: every seed of the config is run at every point."),
        ({"data.source": ["real", "embedded"]}, "give each source a run with its own 'results'"),
        ({"theory.games": [100]}, "'theory.games' cannot be swept: no result of a point depends on it"),
    ],
)
def test_a_wrong_sweep_is_refused_in_one_sentence(sweep, says):
    with pytest.raises(ConfigError) as error:
        load({**CONFIG, "sweep": sweep}, MODEL)
    assert len(error.value.faults) == 1
    assert says in error.value.faults[0]


def test_a_key_of_a_task_can_be_swept_where_the_task_is_run():
    config = {**CONFIG, "sweep": {"training.birds.updates": [10, 20]}}
    assert load(config, MODEL).sweep == config["sweep"]
    with pytest.raises(ConfigError, match=r"'training.birds.updates' cannot be swept: it belongs to a task"):
        load({**config, "tasks": ["colors"]}, MODEL)


def test_only_what_a_layer_depends_on_matters_to_it():
    point = {"agent.noise": 0.1, "dictionary.n_best": 3, "training.birds.updates": 10, "birds.pixels": 96}

    def kept(layer: str, task: str) -> set[str]:
        return set(relevant(point, layer, task, CONFIG))

    assert kept("agents", "colors") == {"agent.noise"}
    assert kept("agents", "birds") == {"agent.noise", "training.birds.updates", "birds.pixels"}
    assert kept("humans", "colors") == set()
    assert kept("humans", "birds") == {"birds.pixels"}
    assert kept("results", "colors") == {"agent.noise", "dictionary.n_best"}


def test_a_value_that_the_config_has_anyhow_is_the_run_itself():
    point = {"agent.noise": CONFIG["agent"]["noise"]}
    assert point_folders(point, "colors", CONFIG) == dict.fromkeys(LAYERS, CONFIG["results"])


def test_every_folder_is_made_by_one_module_and_a_module_reads_only_what_is_made():
    swept = {"agent.noise": [0.3, 0.9], "dictionary.n_best": [1, 3], "birds.pixels": [96, CONFIG["birds"]["pixels"]]}
    config = {**CONFIG, "sweep": swept}
    found = modules(config)
    made = [(layer, folders[layer]) for folders, laid in found.values() for layer in (*laid["layers"], "results")]
    assert len(made) == len(set(made))
    made += [(layer, CONFIG["results"]) for layer in LAYERS]
    for point in points(swept):
        for task in CONFIG["tasks"]:
            folders = point_folders(point, task, config)
            assert set(folders.items()) <= set(made)
            if folders["results"] != CONFIG["results"]:
                (laid,) = [laid for known, laid in found.values() if known == folders]
                assert laid["agent"]["noise"] == point["agent.noise"]
                assert laid["dictionary"]["n_best"] == point["dictionary.n_best"]
    assert all("sweep" not in laid for _, laid in found.values())


def test_a_layer_depends_on_every_key_that_its_rules_take_params_from():
    for layer in ("data", "humans", "agents"):
        text = (ROOT / f"workflow/rules/{layer}.smk").read_text()
        keys = {
            key
            for keys in re.findall(r"(?:setting|config_for)\(([^)]*)\)", text)
            for key in re.findall('"(.+?)"', keys)
        }
        own = {*CONFIG["games"], "corpora"}  # sections of single tasks
        assert keys, layer
        assert {key.split(".")[0] for key in keys} - own <= LAYERS[layer], layer


def test_a_table_of_a_sweep_has_one_column_for_each_swept_key(tmp_path):
    paths = [tmp_path / f"{number}.parquet" for number in range(4)]
    for number, path in enumerate(paths):
        write_table(
            path,
            pd.DataFrame({"update": [0], "loss": [number / 4], "reward": [0.5], "success": [0.5], "epsilon": [0.1]}),
            "history",
        )
    table = tabulate_sweep(paths, "history", [{"agent.noise": 0.1, "agent.message": 8}, {"agent.noise": 0.3}])
    assert table["agent.noise"].tolist() == [0.1, 0.1, 0.3, 0.3]
    assert table["loss"].tolist() == [0, 0.25, 0.5, 0.75]


def test_a_star_stands_for_every_task_and_only_its_own_value_matters_to_a_task():
    point = {"games.*.candidates": 4}
    laid = overlay(CONFIG, point)
    assert {name: each["candidates"] for name, each in laid["games"].items()} == dict.fromkeys(CONFIG["games"], 4)
    assert relevant(point, "agents", "birds", CONFIG) == {"games.birds.candidates": 4}
    config = load({"tasks": ["birds"], "sweep": {"games.*.candidates": [2, 4]}}, MODEL).model_dump()
    assert [point_folders(each, "birds", config)["results"] for each in points(config["sweep"])] == [
        "results",
        "results/sweep/games.birds.candidates=4",
    ]
    with pytest.raises(ConfigError, match="is wrong: 1 should be"):
        load({"sweep": {"games.*.candidates": [1]}}, MODEL)
