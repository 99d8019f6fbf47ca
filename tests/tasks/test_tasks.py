"""The tasks there are, ours and others', and what a stage is given of one."""

import sys
from importlib.metadata import EntryPoint

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from neuralese import tasks
from neuralese.errors import NeuraleseError
from neuralese.stages.run import Run
from neuralese.storage.files import write_json
from neuralese.storage.tables import matrix, write_table
from neuralese.tasks.birds import embedded
from neuralese.tasks.birds.data import IMAGES, parse_images
from neuralese.tasks.colors.data import COLORS
from neuralese.tasks.items import inventory_table, items_table, traces_table

SHAPES = """
from neuralese.data.data_sets import DataSet
from neuralese.tasks.task import ReferenceTask
class Shapes(ReferenceTask):
    name, title, data_set = "{name}", "Shapes", DataSet("shapes", "MIT")
    def variables(self, files, columns): return columns[["target"]]
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a task, as another package would: its name, its module, and the text of that module."""
    found = []
    monkeypatch.setattr(tasks, "entry_points", lambda group: found if group == tasks.GROUP else [])
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def install(name: str, module: str, text: str | None) -> None:
        found.append(EntryPoint(name, f"{module}:Shapes", tasks.GROUP))
        if text is not None:
            (tmp_path / f"{module}.py").write_text(text)
        tasks.forget()

    yield install
    for module in {each for each in sys.modules if each.startswith("their_")} - before:
        del sys.modules[module]
    tasks.forget()


def test_a_task_or_a_method_that_is_missing_is_named():
    with pytest.raises(NeuraleseError, match="there is no task 'colours'; choose from colors, birds, driving"):
        tasks.get("colours")
    with pytest.raises(NeuraleseError, match=r"'colors' has no prepare\(raw, settings\); add this method to"):
        tasks.get("colors").prepare(None, {})


def test_another_package_can_bring_a_task_but_not_take_the_place_of_one_of_ours(install):
    install("shapes", "their_shapes", SHAPES.format(name="shapes"))
    assert (tasks.names()[-1], tasks.every()[-1].title) == ("shapes", "Shapes")
    install("colors", "their_colors", SHAPES.format(name="colors"))
    assert tasks.homes()["colors"] == "neuralese.tasks.colors.task:Colors"


@pytest.mark.parametrize(
    ("module", "text", "says"),
    [
        ("their_missing", None, r"cannot be loaded from their_missing:Shapes \(No module named 'their_m"),
        ("their_other", SHAPES.format(name="forms"), "calls its task 'forms', but is installed as 'shapes'"),
        ("their_empty", "", r"cannot be loaded from their_empty:Shapes \(module 'their_empty' has no attribute"),
        ("their_number", "Shapes = 1", "which is not a subclass of Task; correct its entry"),
        ("their_broken", "import no_such", r"cannot be loaded from their_broken:Shapes \(No module named 'no_"),
    ],
)
def test_a_task_that_cannot_be_loaded_is_named_in_one_sentence(install, module, text, says):
    install("shapes", module, text)
    with pytest.raises(NeuraleseError, match=says) as caught:
        tasks.get("shapes")
    assert "shapes" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture
def files(tmp_path) -> list:
    splits = pd.Series(["train", "dev", "test"] * 10)
    said = [[number % 3] for number in range(30)]
    traces = traces_table(range(30), phrases=said)
    tables = {
        "items": items_table(splits, np.random.default_rng(0).random((30, 3))),
        "traces": traces,
        "inventory": inventory_table(["red", "", "blue"], traces),
    }
    for name, table in tables.items():
        write_table(tmp_path / f"{name}.parquet", table, name)
    write_json(tmp_path / "provenance.json", {"source": "mirror"})
    return sorted(tmp_path.iterdir())


def test_a_run_is_its_files_by_name_and_reads_none_before_it_is_asked(tmp_path, files):
    run = Run("colors", [tmp_path / "nowhere" / "items.parquet", *files[:1]], seed="3")
    assert run.seed == 3
    assert set(run.files) == {"items.parquet", files[0].name}
    with pytest.raises(NeuraleseError, match=r"provenance\.json is not in .* make it with: neuralese run"):
        _ = run.data


def test_a_run_has_the_game_that_the_config_says(files):
    run = Run("birds", files, 2, {"steps": 5, "candidates": 4})
    assert list(run.games) == ["train", "dev", "test"]
    assert (run.states.max_steps, run.states.n_candidates) == (5, 4)
    assert (run.phrases, run.silence) == (["red", "", "blue"], 1)
    assert torch.equal(run.heard, torch.eye(3))
    assert run.label(pd.DataFrame({"value": [1]})).to_dict("records") == [
        {"value": 1, "task": "birds", "seed": 2, "data": "mirror"}
    ]
    traces = run.traces("dev", run.generator("fit"))
    assert traces.states.shape == (10, 4)
    assert set((traces.states % 3).flatten().tolist()) == {1}
    again = Run("birds", files, 2, {"candidates": 4}).traces("dev", run.generator("fit"))
    assert torch.equal(again.states, traces.states)  # random numbers are those of seed and stage
    other = Run("birds", files, 2, {"candidates": 4}).traces("dev", run.generator("belief"))
    assert not torch.equal(other.states, traces.states)


def test_what_translates_in_one_seed_judges_in_the_next(files):
    halves = {
        (seed, half): set(run.traces("train", run.generator("fit"), half).games.tolist())
        for seed in (0, 1, 2)
        for run in [Run("birds", files, seed)]
        for half in ("translating", "judging")
    }
    assert not halves[0, "translating"] & halves[0, "judging"]
    assert len(halves[0, "translating"] | halves[0, "judging"]) == 10  # all items of the split
    assert halves[0, "translating"] == halves[1, "judging"] == halves[2, "translating"]


def test_a_run_knows_what_there_is_to_talk_about(files, generator):
    run = Run("birds", files, 0, {"candidates": 3})
    run.files["inventory.parquet"] = run.files["inventory.parquet"].with_name("more.parquet")
    phrases = [f"phrase {number}" for number in range(6)]
    write_table(run.files["inventory.parquet"], inventory_table(phrases, traces_table([0], phrases=[[0]])), "inventory")
    states = run.states.draw_states(20, generator)
    found = run.variables(states)
    assert found["phrase 0"].tolist() == (states[:, 0] % 3 == 0).long().tolist()
    assert (found["phrase 5"] == 0).all()


def test_a_run_of_colours_knows_their_names_shades_and_coordinates(tmp_path):
    lab = np.array([[50, 0, 20], [70, 10, 0], [53.24, 80.09, 67.2]])
    table = pd.DataFrame({"split": ["train", "dev", "test"], "name": ["dim", "rosy", "red"], "h": 0, "s": 0, "v": 0})
    write_table(tmp_path / "colors.parquet", table.assign(L=lab[:, 0], a=lab[:, 1], b=lab[:, 2]), COLORS)
    traces = traces_table(range(3), phrases=[[], [], [1]])
    write_table(tmp_path / "traces.parquet", traces, "traces")
    write_table(tmp_path / "inventory.parquet", inventory_table(["blue", "red"], traces), "inventory")
    files, colors = {path.name: path for path in tmp_path.iterdir()}, tasks.get("colors")
    found = colors.variables(files, pd.DataFrame({"target": [0, 1], "other": [1, 0]}))
    assert found["hue"].tolist() == [90, 0]
    assert found["lighter than the other"].tolist() == [-20, 20]
    assert colors.pixels(files, {2})[2].ravel() == pytest.approx([1, 0, 0], abs=0.01)
    shown = colors.described(files, [[2, 0]], [[0]])
    assert shown["items"][2] == {"name": "red", "color": "#ff0000"}
    assert shown["shades"] == [None, "#ff0000"]
    assert set(shown["items"]) == {0, 2}


def test_a_run_of_birds_shows_their_pictures_and_species(tmp_path):
    (tmp_path / "raw").mkdir()
    embedded.write(tmp_path / "raw")
    images = parse_images(tmp_path / "raw/images", tmp_path / "raw/splits").iloc[[5, 900, 30]]
    items = items_table(images["split"].reset_index(drop=True), np.eye(3))
    write_table(tmp_path / "images.parquet", images, IMAGES)
    write_table(tmp_path / "items.parquet", items.append_column("image_id", pa.array(images["image_id"])), "items")
    shown = tasks.get("birds").described({path.name: path for path in tmp_path.iterdir()}, [[1, 0]], [[2, 1]])["items"]
    assert [shown[item]["name"].split()[0] for item in (0, 1, 2)] == ["Drawn"] * 3
    assert {item for item, each in shown.items() if "image" in each} == {0, 1}
    assert shown[0]["image"].startswith("data:image/webp;base64,")
    assert len(shown[0]["image"]) < 10_000


def test_tables_of_items_traces_and_inventories():
    items = items_table(pd.Series(["train", "train", "test"]), np.array([[1.0, 5.0], [3.0, 5.0], [100.0, 7.0]]))
    np.testing.assert_allclose(matrix(items["feature"]), [[-1, 0], [1, 0], [98, 2]])  # standardised by training items
    assert items["split"].to_pylist() == ["train", "train", "test"]
    traces = traces_table([4, 4, 9], phrases=[[1, 3], [], [3]])
    assert traces.to_pydict() == {"item_id": [4, 4, 9], "phrases": [[1, 3], [], [3]]}
    inventory = inventory_table(["a", "b", "c", "d"], traces).to_dict("list")
    assert inventory == {"phrase_id": [0, 1, 2, 3], "phrase": ["a", "b", "c", "d"], "count": [0, 1, 0, 2]}


def test_variables_of_driving():
    cars = pd.DataFrame({"row": [1], "col": [2], "direction": [0], "goal_row": [4], "goal_col": [0], "map": [0]})
    assert tasks.get("driving").variables({}, cars)["cells to go"].tolist() == [5]
