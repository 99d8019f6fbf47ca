"""The config: its defaults, what is read of a user's values, and what is made of its models."""

import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
import yaml

from neuralese import tasks
from neuralese.config.load import ConfigError, load
from neuralese.config.models import FitConfig, GameConfig, Role, TaskSections, config_model
from neuralese.config.section import Count, Section, key
from neuralese.translate import families
from neuralese.translate.criteria import kinds, make_criterion
from neuralese.workflow import reached

ROOT = Path(__file__).parents[2]
MODEL = config_model(tasks.sections(), kinds())


def read(given: dict) -> dict:
    return load(given, MODEL).model_dump()


def shipped(name: str) -> dict:
    return yaml.safe_load((ROOT / "config" / name).read_text())


def overlay(base: dict, over: dict) -> dict:
    """Lay one config over another, as Snakemake does."""
    merged = dict(base)
    for name, value in over.items():
        merged[name] = overlay(base[name], value) if isinstance(value, dict) and name in base else value
    return merged


def test_the_defaults_are_the_experiment_of_config_yaml():
    assert read({}) == read(shipped("config.yaml"))


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_a_shipped_config_is_read_alone_and_over_the_default_one(path):
    given = shipped(path.name)
    config = read(overlay(shipped("config.yaml"), given))
    assert config == (read(given) if "criteria" not in given else config)
    assert read(config) == config
    for settings in (config["criteria"] | config["ablation"]["also"]).values():
        for each in families.members(settings).values():
            make_criterion(each)
    assert {settings.get("role") for settings in config["criteria"].values()} >= set(get_args(Role))

    def kept(part: dict, whole: dict) -> bool:
        return all(
            kept(value, whole[name]) if isinstance(value, dict) else whole[name] == value
            for name, value in part.items()
        )

    assert kept(given, config)


def test_what_is_left_out_of_a_section_has_the_default_of_its_task():
    config = read({"training": {"driving": {"updates": 10}}, "driving": {"relay": {"games": 5}}})
    assert config["training"]["driving"] == {**read({})["training"]["driving"], "updates": 10}
    assert config["training"]["driving"]["batch"] != config["training"]["colors"]["batch"]
    assert config["driving"]["relay"] == {**read({})["driving"]["relay"], "games": 5}


def test_criteria_are_taken_as_they_are_written_in_the_order_of_their_options():
    mine = {"scale": 2, "kind": "belief", "weights": "sum"}
    read_back = read({"criteria": {"belief": mine}})["criteria"]["belief"]
    assert list(read_back.items()) == [("kind", "belief"), ("weights", "sum"), ("scale", 2.0)]


def test_numbers_from_the_command_line_are_numbers_and_names_stay_names():
    given = {"seeds": ["0", "1"], "data": {"mirror": "null", "source": "auto"}, "agent": {"noise": "0.1"}}
    config = read({**given, "training": {"colors": {"double": "true", "updates": "7"}}, "results": "2024"})
    assert (config["seeds"], config["data"]["mirror"], config["agent"]["noise"]) == ([0, 1], None, 0.1)
    assert config["training"]["colors"]["double"] is True
    assert config["training"]["colors"]["updates"] == 7
    assert config["results"] == "2024"
    assert read({"sweep": {"agent.noise": ["0.1", "1"]}})["sweep"] == {"agent.noise": [0.1, 1]}
    assert read({"criteria": {"belief": {"kind": "belief", "scale": ["1"]}}})["criteria"]["belief"]["scale"] == [1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sedes": [1]}, "'sedes' is not a known key; did you mean 'seeds'?"),
        ({"agent": {"hiden": 3}}, "'agent.hiden' is not a known key; did you mean 'hidden'?"),
        ({"agent": None}, "'agent' is wrong: None should be a section with keys of its own"),
        ({"training": {"birds": 3}}, "'training.birds' is wrong"),
        ({"birds": {"head": {"epoch": 3}}}, "'birds.head.epoch' is not a known key; did you mean 'epochs'?"),
        ({"seeds": []}, "'seeds' is wrong: [] should not be empty"),
        ({"data": {"source": "magic"}}, "'data.source' is wrong: 'magic' should be 'auto', 'real' or 'embedded'"),
        ({"tasks": ["chess"]}, "'tasks.0' is wrong"),
        (
            {"criteria": {"belief": {"kind": "belief", "weight": "sum"}}},
            "'criteria.belief.weight' is not a known key; did you mean 'weights'?",
        ),
        # a value may be a list, and what is wrong is said of whichever was meant
        ({"criteria": {"belief": {"weights": "up"}}}, "'criteria.belief.weights' is wrong: 'up' should be"),
        ({"criteria": {"belief": {"weights": ["sum", "up"]}}}, "'criteria.belief.weights.1' is wrong: 'up' should be"),
        (
            {"criteria": {"direct": {"scale": [1.0, -2.0]}}},
            "'criteria.direct.scale.1' is wrong: -2.0 should be greater",
        ),
        ({"criteria": {"direct": {"scale": []}}}, "'criteria.direct.scale' is wrong: [] should not be empty"),
        ({"criteria": {"direct": {"weights": "sum"}}}, "'criteria.direct.weights' is not a known key"),
        ({"criteria": {"direct": {"role": "hero"}}}, "'criteria.direct.role' is wrong: 'hero' should be"),
        (
            {"ablation": {"also": {"x": {"kind": "pmi", "variance": 0}}}},
            "'ablation.also.x.variance' is wrong: 0 should",
        ),
        ({"criteria": {"mine": {"role": "ours"}}}, "'criteria.mine.kind' is missing; choose from belief, direct"),
        (
            {"criteria": {"mine": {"kind": "x"}}},
            "'criteria.mine.kind' is wrong: there is no kind 'x'; choose from belief",
        ),
        ({"criteria": {"mine": {"kind": "belief", "role": "ours"}}}, "two criteria have the role 'ours'"),
        ({"criteria": {"shuffled": {"kind": "pmi"}}}, "'shuffled' has another meaning in the tables"),
        ({"ablation": {"also": {"direct": {"kind": "direct"}}}}, "'direct' is both in criteria and in ablation.also"),
        ({"examples": {"criterion": "beleif"}}, "examples.criterion is 'beleif', which is not a criterion"),
        ({"evaluation": {"phrases_heard": 9}}, "raise dictionary.n_best"),
    ],
)
def test_a_wrong_config_is_refused_in_one_sentence_that_names_the_key(change, says):
    with pytest.raises(ConfigError) as error:
        read(overlay(shipped("config.yaml"), change))
    assert len(error.value.faults) == 1
    assert says in error.value.faults[0]


class Shapes(Section):
    """How the data of shapes is prepared."""

    corners: Count = key(4, "Number of corners.", "More is rounder.")


def test_a_task_of_another_package_has_its_section_and_its_defaults():
    shapes = TaskSections(Shapes(corners=5), GameConfig(candidates=3), speakers=FitConfig(hidden=64))
    model = config_model(tasks.sections() | {"shapes": shapes}, kinds())
    config = load({"tasks": ["shapes"], "speakers": {"shapes": {"steps": 9}}, "shapes": {}}, model)
    assert config.shapes == Shapes(corners=5)
    assert (config.games.shapes.candidates, config.games.colors.candidates) == (3, 2)
    assert config.speakers.shapes == FitConfig(hidden=64, steps=9)
    with pytest.raises(ConfigError, match=r"'shapes.corner' is not a known key; did you mean 'corners'\?"):
        load({"shapes": {"corner": 3}}, model)


def test_what_the_config_may_choose_is_what_there_is():
    assert get_args(Role) == tuple(families.ROLES)


def test_the_config_is_read_without_what_stages_need():
    code = (
        "import sys, neuralese.config.load; print(*{'torch', 'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("script", sorted((ROOT / "workflow/scripts").rglob("*.py")), ids=lambda path: path.stem)
def test_no_stage_depends_on_what_the_config_declares(script):
    assert not [name for name in reached(script, tasks.BUILT_IN) if name.startswith("neuralese.config")]
