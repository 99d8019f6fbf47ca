"""The workflow and its configs are found from any folder."""

from pathlib import Path

import pytest

from neuralese.cli.packaged import find_config, home
from neuralese.errors import NeuraleseError

ROOT = Path(__file__).parents[2]


def test_a_checkout_has_its_workflow_at_the_top():
    assert home() == ROOT


def test_a_name_is_a_path_or_one_of_this_folder_or_one_of_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_config("quick") == find_config("config/quick.yaml") == ROOT / "config/quick.yaml"
    (tmp_path / "config").mkdir()
    (tmp_path / "config/quick.yaml").write_text("seeds: [1]\n")
    (tmp_path / "mine.yaml").write_text("seeds: [2]\n")
    assert find_config("quick") == Path("config/quick.yaml")
    assert find_config("mine.yaml") == Path("mine.yaml")
    with pytest.raises(NeuraleseError, match=r"there is no config 'quack'.* faithful, paper, quick"):
        find_config("quack")
    with pytest.raises(NeuraleseError, match=r"there is no config 'elsewhere/quick\.yaml'"):
        find_config("elsewhere/quick.yaml")
