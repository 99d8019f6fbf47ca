"""The config's one source: what is made of it, what agrees with it, and what it fills in."""

import dataclasses
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from neuralese.agents.settings import CellConfig
from neuralese.pipeline import config
from neuralese.pipeline.check import problem
from neuralese.pipeline.config import SCHEMA, Config, complete
from neuralese.pipeline.key_table import key_table
from neuralese.pipeline.schema import keys, schema
from neuralese.settings import section, setting
from neuralese.tasks.birds.backbone import NETWORKS
from neuralese.tasks.birds.settings import Birds
from neuralese.translate import families
from neuralese.translate.criteria import DIVERGENCES, JOINS, KINDS, WEIGHTS
from neuralese.workflow import reached

ROOT = Path(__file__).parents[2]
EXPERIMENT = yaml.safe_load((ROOT / "config/config.yaml").read_text())


@pytest.fixture
def project(tmp_path) -> Path:
    for path in (config.SCHEMA_FILE, config.PAGE):
        (tmp_path / path).parent.mkdir(parents=True)
        shutil.copy(ROOT / path, tmp_path / path)
    return tmp_path


@pytest.mark.parametrize("path", [config.SCHEMA_FILE, config.PAGE], ids=str)
def test_what_is_made_of_the_config_is_up_to_date(path):
    how = "make it anew: python -m neuralese.pipeline.config --write"
    assert config.written(ROOT)[ROOT / path] == (ROOT / path).read_text(), how


def test_the_schema_that_is_written_is_the_one_that_configs_are_checked_by():
    read = yaml.safe_load((ROOT / config.SCHEMA_FILE).read_text())
    assert {key: read[key] for key in SCHEMA} == SCHEMA


@pytest.mark.parametrize("path", [config.SCHEMA_FILE, config.PAGE], ids=str)
def test_a_stale_file_is_named_and_written_anew_and_prose_is_left_alone(project, path, capsys):
    before = (project / path).read_text()
    (project / path).write_text(before.replace("Number of gradient steps.", "Steps."))
    assert config.main(project, write=False) == 1
    assert str(path) in capsys.readouterr().out
    assert (project / path).read_text() != before
    assert config.main(project, write=True) == 0
    assert (project / path).read_text() == before
    assert config.main(project, write=False) == 0


def test_the_defaults_are_the_experiment_of_config_yaml():
    assert complete({}) == complete(EXPERIMENT)


def test_the_defaults_are_a_config_that_can_be_run():
    assert problem(complete({}), SCHEMA) is None


def test_a_default_that_may_not_be_is_found():
    wrong = dataclasses.replace(Config(), agent=CellConfig(radius=-1.0))
    assert "'agent.radius' is wrong" in problem(complete({}, wrong), SCHEMA)


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.name)
def test_a_file_may_hold_only_what_differs(path):
    given = yaml.safe_load(path.read_text())
    filled = complete(given)
    assert problem(filled, SCHEMA) is None
    assert complete(filled) == filled

    def kept(part: dict, whole: dict) -> bool:
        return all(
            kept(value, whole[key]) if isinstance(value, dict) else whole[key] == value for key, value in part.items()
        )

    assert kept(given, filled)


def test_what_is_left_out_of_a_section_has_the_default_of_its_task():
    filled = complete({"training": {"driving": {"updates": 10}}})
    assert filled["training"]["driving"] == {**complete({})["training"]["driving"], "updates": 10}
    assert filled["training"]["driving"]["batch"] != filled["training"]["colors"]["batch"]


def test_criteria_are_taken_as_they_are_written():
    mine = {"belief": {"kind": "belief", "scale": 2.0}}
    assert complete({"criteria": mine})["criteria"] == mine


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sedes": [1]}, "'sedes' is not a known key; did you mean 'seeds'?"),
        ({"agent": {"hiden": 3}}, "'agent.hiden' is not a known key"),
        ({"agent": None}, "'agent' is wrong: None is not of type 'object'"),
        ({"training": {"birds": 3}}, "'training.birds' is wrong"),
    ],
)
def test_what_is_wrong_is_not_hidden_by_defaults(given, says):
    assert says in problem(complete(given), SCHEMA)


def test_defaults_are_not_shared():
    complete({})["criteria"]["belief"]["scale"].append(3.0)
    assert complete({})["criteria"] == EXPERIMENT["criteria"]


def test_a_key_without_a_meaning_is_refused():
    @dataclasses.dataclass(frozen=True)
    class Bare:
        number: int = 3

    @dataclasses.dataclass(frozen=True)
    class Outer:
        silent: int = setting(3, "")
        inner: Bare = section(Bare, "Inside.")

    with pytest.raises(TypeError, match=r"Bare.number lacks a meaning"):
        schema(Bare)
    with pytest.raises(TypeError, match=r"Outer.silent lacks a meaning"):
        key_table(Outer)
    with pytest.raises(TypeError, match="no limit 'leest'"):
        setting(3, "A number.", leest=1)


def test_every_key_stands_in_the_table_with_its_default():
    table = key_table(Config)
    assert "| `noise` | Standard deviation of the channel's noise in each dimension. | `0.3` |" in table
    assert "| `updates` | Number of gradient steps. | colors, birds `800`; driving `1400` |" in table
    assert {line.count(" |") for line in table.replace("\\|", "").splitlines()} == {4}


def limits(kind: type) -> dict[str, dict]:
    return {field.name: field.metadata["limits"] for field, _ in keys(kind)}


def test_a_criterion_of_the_config_has_the_options_and_defaults_of_every_kind():
    options = {field.name: field.default for kind in KINDS.values() for field in dataclasses.fields(kind)}
    known = {field.name: field.default for field in dataclasses.fields(config.Criterion)}
    assert {name: default for name, default in known.items() if name not in families.NOT_OPTIONS} == options
    of_options = limits(config.Criterion)
    for name, choices in (("weights", WEIGHTS), ("divergence", DIVERGENCES), ("join", JOINS), ("kind", KINDS)):
        assert of_options[name]["choices"] == list(choices)
    assert of_options["role"]["choices"] == list(families.ROLES)


def test_the_config_knows_every_backbone():
    assert limits(Birds)["backbone"]["choices"] == list(NETWORKS)


def test_the_config_is_read_without_what_stages_need():
    code = "import sys, neuralese.pipeline.config; print(*{'torch', 'pandas', 'scipy', 'sklearn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("script", sorted((ROOT / "workflow/scripts").rglob("*.py")), ids=lambda path: path.stem)
def test_no_stage_depends_on_the_whole_config(script):
    assert "neuralese.pipeline.config" not in reached(script, ("colors", "birds", "driving"))
