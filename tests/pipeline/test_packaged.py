"""The workflow is found from any folder, and Snakemake is given the configs that were meant."""

import sys
from pathlib import Path

import pytest

from neuralese.pipeline.packaged import config_files, find_config, home, nested, snakemake_command, split_configs
from neuralese.storage.errors import NeuraleseError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def empty(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_checkout_has_its_workflow_at_the_top():
    assert home() == ROOT


@pytest.mark.parametrize(
    ("arguments", "configs", "others"),
    [
        (["all", "--configfile", "quick", "--cores", "2"], ["quick"], ["all", "--cores", "2"]),
        (["--configfile", "a.yaml", "b.yaml", "-n"], ["a.yaml", "b.yaml"], ["-n"]),
        (["--configfile=quick", "all"], ["quick"], ["all"]),
        (["--configfiles", "a", "--forcerun", "x", "--", "all"], ["a"], ["--forcerun", "x", "--", "all"]),
        (["--forcerun", "x", "--", "--configfile"], [], ["--forcerun", "x", "--", "--configfile"]),
    ],
)
def test_config_files_are_told_from_other_arguments(arguments, configs, others):
    assert split_configs(arguments) == (configs, others)


def test_a_name_is_a_path_or_one_of_this_folder_or_one_of_the_package(empty):
    assert find_config("quick") == find_config("config/quick.yaml") == ROOT / "config/quick.yaml"
    (empty / "config").mkdir()
    (empty / "config/quick.yaml").write_text("seeds: [1]\n")
    (empty / "mine.yaml").write_text("seeds: [2]\n")
    assert find_config("quick") == Path("config/quick.yaml")
    assert find_config("mine.yaml") == Path("mine.yaml")
    with pytest.raises(NeuraleseError, match=r"there is no config 'quack'.* faithful, paper, quick"):
        find_config("quack")
    with pytest.raises(NeuraleseError, match=r"there is no config 'elsewhere/quick\.yaml'"):
        find_config("elsewhere/quick.yaml")


def test_the_shipped_config_comes_first_unless_the_folder_has_one(empty):
    shipped = [ROOT / "config/config.yaml", ROOT / "config/paper.yaml"]
    assert config_files(["--configfile", "paper"]) == shipped
    (empty / "config").mkdir()
    (empty / "config/config.yaml").write_text("seeds: [1]\n")
    assert config_files(["--configfile", "paper"]) == shipped[1:]
    assert config_files(["--directory", str(ROOT / "src")]) == shipped[:1]


@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        (["--config", "agent.noise=3"], ["--config", 'agent={"noise": 3}']),
        (
            ["-C", "agent.noise=3", "seeds=[0]", "agent.hidden=8", "--cores", "a.b=2"],
            ["-C", 'agent={"noise": 3, "hidden": 8}', "seeds=[0]", "--cores", "a.b=2"],
        ),
        (["--config", "training.colors.updates=9"], ["--config", 'training={"colors": {"updates": 9}}']),
        (["--config", "results=a.b"], ["--config", "results=a.b"]),
        (["--config", "seeds=[0]", "all", "-n"], ["--config", "seeds=[0]", "-n", "--", "all"]),
        (["--config", "seeds=[0]", "--", "all"], ["--config", "seeds=[0]", "--", "all"]),
    ],
)
def test_dotted_keys_on_the_command_line_become_sections(arguments, made):
    assert nested(arguments) == made


def test_snakemake_takes_no_target_for_a_config_and_all_cores_unless_told(empty):
    start = [sys.executable, "-m", "snakemake", "--configfile", str(ROOT / "config/config.yaml")]
    workflow = ["--snakefile", str(ROOT / "Snakefile")]
    assert snakemake_command(["all"]) == [*start, *workflow, "--cores", "all", "all"]
    assert snakemake_command(["all", "-c2"]) == [*start, *workflow, "all", "-c2"]
    assert snakemake_command(["--profile", "p"]) == [*start, *workflow, "--profile", "p"]
    assert snakemake_command(["-s", "mine.smk", "--configfile", "x"])[3:] == ["-s", "mine.smk", "--configfile", "x"]
