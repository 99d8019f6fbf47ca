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
from neuralese.pipeline.dependencies import SECTIONS
from neuralese.pipeline.sweep import name, named, relevant, tidy
from neuralese.storage.errors import NeuraleseError
from neuralese.translate.criteria import kinds

ROOT = Path(__file__).parents[1]
MODEL = config_model(tasks.sections(), kinds())
CONFIG = load(yaml.safe_load((ROOT / "config/config.yaml").read_text()), MODEL).model_dump()
VALUES = st.integers() | st.floats(allow_nan=False) | st.booleans() | st.text("aZ9_.+-", min_size=1, max_size=5)
KEYS = st.sampled_from(["agent.noise", "agent.message", "training.colors.updates", "criteria.belief.weights"])
SWEEPS = st.dictionaries(KEYS, st.lists(VALUES, min_size=1, max_size=3, unique_by=str), min_size=1, max_size=3)


@given(SWEEPS)
def test_every_point_has_a_name_of_its_own_by_which_it_is_found_again(sweep):
    found = points(sweep)
    names = [name(point) for point in found]
    assert len(set(names)) == len(names)
    assert [named(text, sweep) for text in names] == found
    assert not any("/" in text for text in names)


def test_nothing_swept_is_no_point():
    assert points({}) == []


def test_a_point_that_the_config_does_not_sweep_over_is_refused():
    with pytest.raises(NeuraleseError, match=r"does not sweep over 'agent.noise=0.2'"):
        named("agent.noise=0.2", {"agent.noise": [0.1, 0.3]})


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


def test_only_what_a_file_depends_on_matters_to_it():
    point = {"agent.noise": 0.1, "dictionary.n_best": 1, "training.birds.updates": 10, "birds.pixels": 96}

    def kept(file: str, task: str) -> set[str]:
        return set(relevant(point, SECTIONS[file], task, CONFIG))

    assert kept("agent.safetensors", "colors") == {"agent.noise"}
    assert kept("agent.safetensors", "birds") == {"agent.noise", "training.birds.updates", "birds.pixels"}
    assert kept("human_speaker.safetensors", "colors") == set()
    assert kept("human_speaker.safetensors", "birds") == {"birds.pixels"}
    assert kept("belief_test.parquet", "colors") == {"agent.noise", "dictionary.n_best"}


def test_a_value_that_the_config_has_anyhow_is_the_run_itself():
    assert relevant({"agent.noise": CONFIG["agent"]["noise"]}, SECTIONS["agent.safetensors"], "colors", CONFIG) == {}


def rules() -> dict[str, str]:
    text = "\n".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    return dict(re.findall(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", text, flags=re.MULTILINE | re.DOTALL))


def test_what_is_chosen_on_dev_depends_on_all_that_is_compared_there():
    point = {
        "ablation.messages": 10,
        "criteria.belief.weights": "sum",
        "evaluation.resamples": 100,
        "dictionary.n_best": 1,
    }

    def kept(file: str) -> set[str]:
        return set(relevant(point, SECTIONS[file], "colors", CONFIG))

    assert kept("criteria.parquet") == {"ablation.messages", "criteria.belief.weights", "evaluation.resamples"}
    assert kept("dictionary.parquet") == set(point)
    assert kept("robot_speaker.safetensors") == set()


def test_a_rule_that_a_sweep_runs_takes_its_params_and_inputs_from_its_point():
    for rule, body in rules().items():
        if "{POINT}" in body:
            assert "config[" not in body, rule
            outside = set(re.findall(r"\{RESULTS\}/([^\"]+)", body)) - {".checkpoints"}
            assert all(path.endswith("/raw") for path in outside), rule


def test_a_tidy_table_has_one_column_for_each_swept_key():
    parts = [pd.DataFrame({"accuracy": [0.5, 0.6]}), pd.DataFrame({"accuracy": [0.7]})]
    table = tidy(parts, [{"agent.noise": 0.1, "agent.message": 8}, {"agent.noise": 0.3, "agent.message": 8}])
    assert table.to_dict("list") == {
        "accuracy": [0.5, 0.6, 0.7],
        "agent.noise": [0.1, 0.1, 0.3],
        "agent.message": [8, 8, 8],
    }
