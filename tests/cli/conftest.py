"""A small results folder, made by the library's own functions, and a way to run commands on it."""

import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import torch
from click.testing import CliRunner, Result
from comparison_rows import belief_rows

from neuralese.agents.cell import Cell, CellConfig, save_cell
from neuralese.agents.messages import states_table
from neuralese.agents.players import sample_messages
from neuralese.cli.main import cli
from neuralese.config.models import DescriptionConfig
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, save_model
from neuralese.stages.run import Run
from neuralese.storage.files import write_json
from neuralese.storage.tables import vectors, write_table
from neuralese.translate.descriptions import Describer
from neuralese.translate.dictionary import build_dictionary

PHRASES = ["", "green", "blue", "light", "dark green"]
UTTERANCES = [[0], [1], [2], [3], [4], [2, 3]]  # the phrases, and one thing that humans said at once: blue, light
# each direction has settings of its own, and ours is not the first
CRITERIA = {
    "R->H": {
        "released": {"kind": "belief", "role": "released", "weights": "product", "variance": 0.5, "join": "mean"},
        "mine": {"kind": "belief", "role": "ours", "weights": "source", "divergence": "reverse", "scale": 1.5},
        "direct": {"kind": "direct", "role": "baseline"},
        "random": {"kind": "random", "role": "control"},
    },
    "H->R": {
        "released": {"kind": "belief", "role": "released", "weights": "product", "variance": 0.5, "join": "mean"},
        "mine": {"kind": "belief", "role": "ours", "weights": "sum", "divergence": "forward", "scale": 4.0},
        "direct": {"kind": "direct", "role": "baseline", "scale": 2.0},
        "random": {"kind": "random", "role": "control"},
    },
}
MESSAGE = 6  # length of a message


def make_run(task: Path) -> None:
    """Let an untrained agent speak, and translate it: by a dictionary, and in descriptions."""
    torch.manual_seed(0)
    generator, folder = torch.Generator().manual_seed(0), task / "seed0"
    run = Run("colors", [*task.glob("*.parquet"), task / "provenance.json"])
    game = run.states
    cell = Cell(game, CellConfig(hidden=8, message=MESSAGE, radius=2.0))
    save_cell(folder / "agent.safetensors", cell)
    save_model(folder / "robot_speaker.safetensors", RobotSpeaker(game, hidden=8, message=MESSAGE, scale=0.3))
    save_model(folder / "human_speaker.safetensors", HumanSpeaker(game, hidden=8, phrases=len(PHRASES), silence=0))
    counts = {"train": 300, "dev": 12, "test": 12}
    write_table(folder / "messages.parquet", sample_messages(cell, run.games, counts, generator), "messages")
    contexts = states_table(game, game.draw_states(80, generator), "context_id")
    write_table(folder / "contexts.parquet", contexts, "contexts")

    run = Run("colors", [*task.glob("*.parquet"), task / "provenance.json", *folder.glob("*")])
    held_out, vocabulary, told = [run.neuralese("dev"), run.neuralese("test")], run.neuralese("train"), run.utterances
    dictionary = build_dictionary(run.english, told, held_out, vocabulary, run.contexts(), CRITERIA, n_best=3)
    write_table(folder / "dictionary.parquet", dictionary, "dictionary", about={"criteria": CRITERIA})
    curve = [[0.5, 1.0], [0.5, 0.9]]
    about = {"settings": DescriptionConfig(price=0).model_dump(), "sure": curve}
    parts = []
    for said in (run.said["dev"], run.said["test"]):
        described = Describer(run, DescriptionConfig(price=0), curve).table(said.messages)
        parts.append(described.assign(message_id=said.ids.int().numpy()))
    write_table(folder / "descriptions.parquet", pd.concat(parts, ignore_index=True), "descriptions", about)


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("project") / "results"
    colors = folder / "colors"
    splits = ["train"] * 40 + ["dev"] * 10 + ["test"] * 10
    features = torch.randn(60, 3, generator=torch.Generator().manual_seed(1)).numpy()
    items = pa.table({"item_id": pa.array(range(60), pa.int32()), "split": splits, "feature": vectors(features)})
    write_table(colors / "items.parquet", items, "items")
    inventory = pd.DataFrame({"phrase_id": range(len(PHRASES)), "phrase": PHRASES, "count": 7})
    write_table(colors / "inventory.parquet", inventory, "inventory")
    about = {"data_set": "colours", "source": "embedded", "rows": {"colors": 60}, "time": "2017-04-23T00:00:00+00:00"}
    write_json(colors / "provenance.json", about)
    texts = [", ".join(PHRASES[part] for part in parts) for parts in UTTERANCES]
    said = pd.DataFrame({"utterance_id": range(len(texts)), "text": texts, "parts": UTTERANCES})
    write_table(colors / "utterances.parquet", said.assign(train=3, dev=1, test=1), "utterances")
    make_run(colors)
    belief = belief_rows(seeds=1).fillna({"kind": ""})
    belief["data"] = ["embedded" if task == "colors" else "mirror" for task in belief["task"]]
    write_table(folder / "tables" / "belief.parquet", belief, "belief")
    return folder


class Shell:
    """Runs commands in a folder that holds `results`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: str | int, **variables: str) -> Result:
        return CliRunner().invoke(cli, [str(each) for each in arguments], env=variables, prog_name="neuralese")

    def prints(self, *arguments: str | int) -> str:
        """What a command that ends well prints."""
        done = self(*arguments)
        assert done.exit_code == 0, done.output
        assert done.stderr == ""
        return done.stdout

    def json(self, *arguments: str | int):
        """The same for a command that prints JSON, strictly read."""
        return json.loads(self.prints(*arguments, "--json"), parse_constant=pytest.fail)

    def fails(self, *arguments: str | int) -> str:
        """The one sentence of a command that ends with a user's mistake."""
        done = self(*arguments)
        assert done.exit_code == 1, done.output
        assert done.stdout == ""
        (line,) = done.stderr.strip().splitlines()
        return line.removeprefix("Error: ")


@pytest.fixture
def shell(results, monkeypatch) -> Shell:
    monkeypatch.chdir(results.parent)
    return Shell(results.parent)
