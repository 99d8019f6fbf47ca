"""Files say what made them, and damaged ones are refused in one sentence that says what to do."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from click.testing import CliRunner
from fuzz import KINDS, fuzz
from torch import nn

from neuralese.agents.cell import CellConfig
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.cli.main import cli
from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.storage import files
from neuralese.storage.files import atomic, raw_kind, read_json, write_json, write_text
from neuralese.storage.made import making, read_made
from neuralese.storage.tables import data_digest, read_about, read_table, vectors, write_batches, write_table
from neuralese.storage.weights import discard_broken, read_settings, read_weights, save_weights

MADE = {"stage": "sample_messages", "settings": {"noise": 0.3}, "code": "1", "data": "embedded"}
READ = {
    "messages.parquet": lambda path: read_table(path, "messages"),
    "features.parquet": lambda path: read_table(path, "messages"),
    "agent.safetensors": read_weights,
    "report.json": read_json,
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
    """Write a file of every kind as a stage of a run would: the first table compressed, the second not."""
    with making(MADE | made):
        write_table(folder / "messages.parquet", table(), "messages", about={"kind": "vector"})
        write_batches(folder / "features.parquet", [table()] * 2, "messages")
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


@pytest.mark.parametrize("left", [0, 5, 100, -1])
@pytest.mark.parametrize("name", READ)
def test_a_file_that_was_cut_short_is_refused(tmp_path, name, left):
    make(tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[: left if left >= 0 else left - 1])
    with pytest.raises(NeuraleseError, match=f"{name} is damaged; delete it and run again."):
        READ[name](path)


@pytest.mark.parametrize("kind", KINDS)
def test_no_changed_file_is_read_with_other_values_or_ends_in_a_traceback(kind):
    counts, faults = fuzz(kind, files=60, seed=1)
    assert not faults
    assert counts["refused"] > 50


def test_what_made_a_file_is_read_from_it_and_shown_and_changes_no_value(tmp_path):
    make(tmp_path)
    for name in READ:
        assert read_made(tmp_path / name).items() >= MADE.items()
        assert "sample_messages" in CliRunner().invoke(cli, ["show", str(tmp_path / name)]).output
    assert read_json(tmp_path / "report.json")["source"] == "embedded"
    assert read_about(tmp_path / "messages.parquet") == {"kind": "vector"}
    assert read_settings(tmp_path / "agent.safetensors") == {"hidden": 20}
    assert read_table(tmp_path / "messages.parquet", "messages").equals(table())


def test_the_same_makes_the_same_bytes_and_other_code_the_same_data(tmp_path):
    for folder, code in (("a", "1"), ("b", "1"), ("c", "2")):
        make(tmp_path / folder, code=code)
    paths = [tmp_path / folder / "messages.parquet" for folder in "abc"]
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()
    assert len({data_digest(path) for path in paths}) == 1
    write_table(tmp_path / "other.parquet", table().slice(0, 1), "messages", about={"kind": "vector"})
    assert data_digest(tmp_path / "other.parquet") != data_digest(paths[0])


def test_raw_data_is_what_was_fetched(tmp_path):
    write_text(tmp_path / "archive", "whole")
    fetched = [{"file": "archive", "sha256": files.file_digest(tmp_path / "archive")}]
    write_json(tmp_path / "source.json", {"source": "mirror", "files": fetched})
    assert raw_kind(tmp_path) == "mirror"
    write_text(tmp_path / "archive", "whale")
    with pytest.raises(NeuraleseError, match="archive is not the file that was fetched; delete"):
        raw_kind(tmp_path)


def test_files_of_a_users_own_are_read_as_they_are(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"source": "corpus"}')
    assert read_json(path) == {"source": "corpus"}
    assert read_made(path) == {}


@pytest.mark.parametrize("content", ["", "{", "[1, 2", "[1, 2]", '{"a": 1}}', "\x00"])
def test_what_is_no_json_is_said_in_one_sentence(tmp_path, content):
    (tmp_path / "provenance.json").write_text(content)
    with pytest.raises(NeuraleseError, match=r"provenance\.json is damaged; delete it and run again"):
        read_json(tmp_path / "provenance.json")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_neither_written_nor_read(tmp_path, value, monkeypatch):
    module, path = nn.Linear(3, 3), tmp_path / "agent.safetensors"
    with torch.no_grad():
        module.weight[1, 1] = value
    with pytest.raises(NeuraleseError, match="was not written: its weights 'weight' hold NaN or infinity"):
        save_weights(path, module, {})
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("neuralese.storage.weights._not_finite", lambda weights: None)
    save_weights(path, module, {})
    monkeypatch.undo()
    with pytest.raises(NeuraleseError, match="holds weights 'weight' with NaN or infinity; delete it"):
        read_weights(path)


def trained(folder: Path, seed: int) -> Path:
    """The checkpoint of a short training."""
    game = ReferenceGame(torch.randn(50, 3, generator=torch.Generator().manual_seed(1)))
    settings = TrainingConfig(updates=4, batch=8, new_games=8, checkpoint_every=2)
    Trainer(game, CellConfig(hidden=8, message=4), settings, seed).run(folder / f"seed{seed}.pt")
    return folder / f"seed{seed}.pt"


def test_a_checkpoint_with_weights_that_are_no_numbers_is_not_gone_on_from(tmp_path, caplog):
    path = trained(tmp_path, 0)
    state = torch.load(path, weights_only=True)
    next(iter(state["cell"].values())).fill_(float("nan"))
    torch.save(state, path)
    discard_broken(path)
    assert "holds NaN or infinity); training restarts" in caplog.text
    assert not path.exists()


def test_a_checkpoint_of_another_training_is_not_gone_on_from(tmp_path, caplog):
    trained(tmp_path, 0).replace(trained(tmp_path, 1))
    discard_broken(tmp_path / "seed1.pt")
    assert "(it belongs to another training); training restarts" in caplog.text
    assert not (tmp_path / "seed1.pt").exists()


def test_a_writer_in_another_container_is_left_alone(tmp_path):
    """Process ids of another PID namespace mean nothing here: this process has a number that nobody has there."""
    inside = ["unshare", "--map-root-user", "--pid", "--fork"]
    try:
        possible = subprocess.run([*inside, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("this machine lets nobody number processes anew (unshare --pid)")
    write = "import sys; from neuralese.storage.files import write_text; write_text(sys.argv[1], 'quick')"
    with atomic(tmp_path / "text") as temporary:
        temporary.write_text("slow")
        subprocess.run([*inside, sys.executable, "-c", write, str(tmp_path / "text")], check=True)
        assert (tmp_path / "text").read_text() == "quick"
        assert temporary.exists()
    assert [path.read_text() for path in tmp_path.iterdir()] == ["slow"]


def test_what_was_left_on_another_machine_is_swept_once_it_is_old(tmp_path, monkeypatch):
    left, writers = [], []
    for age in (0, files.LEFT_BEHIND + 60):
        monkeypatch.setattr(files, "_machine", lambda: "another")
        writers.append(atomic.__wrapped__(tmp_path / "text"))
        left.append(next(writers[-1]))
        left[-1].write_text("half")
        os.utime(left[-1], (left[-1].stat().st_mtime - age,) * 2)
        monkeypatch.undo()
    write_text(tmp_path / "text", "whole")
    assert left[0].exists()
    assert not left[1].exists()


def test_weights_are_the_same_bytes_whenever_they_are_written(tmp_path):
    torch.manual_seed(0)
    module = torch.nn.Linear(3, 2)
    contents = set()
    for number in range(20):
        path = tmp_path / str(number) / "agent.safetensors"
        save_weights(path, module, {"hidden": 3, "name": "é"})
        contents.add(path.read_bytes())
        weights, settings = read_weights(path)
        assert settings == {"hidden": 3, "name": "é"}
        assert torch.equal(weights["weight"], module.weight)
    assert len(contents) == 1
