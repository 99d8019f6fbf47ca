"""Files say what made them, and damaged ones are refused in one sentence that says what to do."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from click.testing import CliRunner
from torch import nn

from neuralese.agents.cell import CellConfig
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.cli.main import cli
from neuralese.data.data_sets import raw_kind
from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.storage.files import file_digest, making, read_json, read_made, write_json, write_text
from neuralese.storage.tables import read_about, read_table, vectors, write_table
from neuralese.storage.weights import discard_broken, read_weights, save_weights

MADE = {"stage": "sample_messages", "settings": {"noise": 0.3}, "code": "1", "data": "embedded"}
READ = {
    "messages.parquet": lambda path: read_table(path, "messages"),
    "agent.safetensors": read_weights,
    "report.json": read_json,
}
CHANGES = {
    "empty": lambda whole: b"",
    "its start": lambda whole: whole[:5],
    "cut in the middle": lambda whole: whole[:100],
    "without its end": lambda whole: whole[:-2],
    "text": lambda whole: b"no file of ours at all",
    "a list": lambda whole: b"[1, 2]",
}


def table() -> pa.Table:
    numbers = np.random.default_rng(0).normal(size=(500, 8))
    return pa.table(
        {
            "message_id": pa.array(range(500), pa.int32()),
            "split": ["train", "dev"] * 250,
            "message": vectors(numbers),
        }
    )


def make(folder: Path, **made: object) -> None:
    """Write a file of every kind as a stage of a run would."""
    with making(MADE | made):
        write_table(folder / "messages.parquet", table(), "messages", about={"kind": "vector", "settings": [1.5, None]})
        save_weights(folder / "agent.safetensors", nn.Linear(20, 20), {"hidden": 20})
        write_json(folder / "report.json", {"source": "embedded", "said": ["red"] * 50})


def content_of(path: Path) -> range:
    """The bytes that hold values: pages, tensors, or the text after what made the file."""
    content = path.read_bytes()
    match path.suffix:
        case ".parquet":
            return range(4, len(content) - 8 - pq.read_metadata(path).serialized_size)
        case ".safetensors":
            return range(8 + int.from_bytes(content[:8], "little"), len(content))
    return range(content.index(b'"source"'), content.rindex(b"]"))


@pytest.mark.parametrize("place", [0.01, 0.2, 0.4, 0.6, 0.8, 0.99])
@pytest.mark.parametrize("name", READ)
def test_a_flipped_bit_is_refused_by_the_library_and_by_show(tmp_path, name, place):
    make(tmp_path)
    path, damaged = tmp_path / name, f"{tmp_path / name} is damaged; delete it and run again."
    content, places = bytearray(path.read_bytes()), content_of(path)
    content[places[int(place * len(places))]] ^= 4
    path.write_bytes(content)
    shown = CliRunner().invoke(cli, ["show", str(path), *(["--rows", "1000"] if path.suffix == ".parquet" else [])])
    assert shown.exit_code != 0
    assert damaged in shown.output
    with pytest.raises(NeuraleseError) as refused:
        READ[name](path)
    assert str(refused.value) == damaged


@pytest.mark.parametrize("change", CHANGES, ids=str)
@pytest.mark.parametrize("name", READ)
def test_a_file_that_was_cut_short_or_is_none_is_refused(tmp_path, name, change):
    make(tmp_path)
    path = tmp_path / name
    path.write_bytes(CHANGES[change](path.read_bytes()))
    with pytest.raises(NeuraleseError, match=f"{name} is damaged; delete it and run again.") as caught:
        READ[name](path)
    assert "\n" not in str(caught.value)


def test_what_made_a_file_is_read_from_it_and_shown_and_changes_no_value(tmp_path):
    make(tmp_path)
    for name in READ:
        assert read_made(tmp_path / name).items() >= MADE.items()
        schema = ["--schema"] if name.endswith(".parquet") else []
        assert "sample_messages" in CliRunner().invoke(cli, ["show", str(tmp_path / name), *schema]).output
    assert read_json(tmp_path / "report.json")["source"] == "embedded"
    assert read_about(tmp_path / "messages.parquet") == {"kind": "vector", "settings": [1.5, None]}
    assert read_weights(tmp_path / "agent.safetensors")[1] == {"hidden": 20}
    assert read_table(tmp_path / "messages.parquet", "messages").equals(table())


def test_the_same_makes_the_same_bytes(tmp_path):
    for folder, code in (("a", "1"), ("b", "1"), ("c", "2")):
        make(tmp_path / folder, code=code)
    paths = [tmp_path / folder / "messages.parquet" for folder in "abc"]
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


def test_raw_data_is_what_was_fetched(tmp_path):
    write_text(tmp_path / "archive", "whole")
    fetched = [{"file": "archive", "sha256": file_digest(tmp_path / "archive")}]
    write_json(tmp_path / "source.json", {"source": "mirror", "files": fetched})
    assert raw_kind(tmp_path) == "mirror"
    write_text(tmp_path / "archive", "whale")
    with pytest.raises(NeuraleseError, match="archive is not the file that was fetched; delete"):
        raw_kind(tmp_path)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_not_written(tmp_path, value):
    module = nn.Linear(3, 3)
    with torch.no_grad():
        module.weight[1, 1] = value
    with pytest.raises(NeuraleseError, match="was not written: its weights 'weight' hold NaN or infinity"):
        save_weights(tmp_path / "agent.safetensors", module, {})
    assert not list(tmp_path.iterdir())


def trainer() -> Trainer:
    """A short training."""
    game = ReferenceGame(torch.randn(50, 3, generator=torch.Generator().manual_seed(1)))
    settings = TrainingConfig(updates=4, batch=8, new_games=8, checkpoint_every=2)
    return Trainer(game, CellConfig(hidden=8, message=4), settings, 0)


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-100],
        lambda whole: b"",
        lambda whole: whole[:2000] + bytes(500) + whole[2500:],
    ],
    ids=["cut short", "empty", "changed within"],
)
def test_a_damaged_checkpoint_is_said_and_training_begins_again(tmp_path, caplog, damage):
    checkpoint, first = tmp_path / "seed0.pt", trainer()
    first.run(checkpoint)
    discard_broken(checkpoint)
    assert checkpoint.exists()
    assert not caplog.records
    checkpoint.write_bytes(damage(checkpoint.read_bytes()))
    discard_broken(checkpoint)
    assert f"{checkpoint} is damaged" in caplog.text
    again = trainer()
    again.run(checkpoint)
    assert all(torch.equal(a, b) for a, b in zip(first.cell.parameters(), again.cell.parameters(), strict=True))


def test_weights_are_the_same_bytes_whenever_they_are_written(tmp_path):
    module = nn.Linear(3, 2)
    paths = [tmp_path / str(number) / "agent.safetensors" for number in range(20)]
    for path in paths:
        save_weights(path, module, {"hidden": 3, "name": "é"})
    assert len({path.read_bytes() for path in paths}) == 1
    weights, settings = read_weights(paths[0])
    assert settings == {"hidden": 3, "name": "é"}
    assert torch.equal(weights["weight"], module.weight)
