"""Files that know what made them: whatever was changed, moved or mixed up is said in one sentence."""

import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import torch
from fuzz import KINDS, fuzz
from torch import nn

from neuralese.agents.cell import CellConfig
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.games.reference import ReferenceGame
from neuralese.sources.provenance import data_kind
from neuralese.storage import files
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import atomic, read_json, write_json, write_text
from neuralese.storage.stamps import Maker, identity, making, read_record
from neuralese.storage.tables import data_digest, read_about, read_table, vectors, write_table
from neuralese.storage.weights import discard_broken, read_settings, read_weights, save_weights

RECORD = {"stage": "made_here", "settings": {}, "code": "1", "inputs": {}}
READ = {
    "messages.parquet": lambda path: read_table(path, "messages"),
    "agent.safetensors": read_weights,
    "report.json": read_json,
}


def table() -> pa.Table:
    return pa.table(
        {
            "message_id": pa.array([0, 1], pa.int32()),
            "split": ["train", "dev"],
            "message": vectors(np.array([[0.1, 0.2], [0.3, 0.4]])),
        }
    )


def make(results: Path, folder: str, **record: object) -> None:
    """Write a file of every kind as a stage of a run would."""
    with making(Maker(str(results), RECORD | record)):
        write_table(results / folder / "messages.parquet", table(), "messages", about={"kind": "vector"})
        save_weights(results / folder / "agent.safetensors", nn.Linear(2, 2), {"hidden": 2})
        write_json(results / folder / "report.json", {"source": "embedded"})


@pytest.mark.parametrize("kind", KINDS)
def test_no_changed_file_is_read_with_other_values_or_ends_in_a_traceback(kind):
    counts, faults = fuzz(kind, files=60, seed=1)
    assert not faults
    assert counts["refused"] > 50


def test_a_file_is_read_where_it_was_made_and_where_all_results_were_copied_to(tmp_path):
    make(tmp_path / "results", "colors/seed0")
    (tmp_path / "results").rename(tmp_path / "copied")
    for name, read in READ.items():
        read(tmp_path / "copied" / "colors" / "seed0" / name)


@pytest.mark.parametrize(
    ("one", "other"),
    [*permutations(["colors/seed0", "colors/seed1", "birds/seed0", "sweep/agent.noise=0.9/colors/seed0"], 2)],
)
@pytest.mark.parametrize("name", READ)
def test_a_file_of_another_seed_task_or_point_is_refused(tmp_path, name, one, other):
    make(tmp_path, one)
    (tmp_path / other).mkdir(parents=True)
    moved = (tmp_path / one / name).rename(tmp_path / other / name)
    with pytest.raises(NeuraleseError, match=f"is not what its name says: it was made as {one}/{name}; delete it"):
        READ[name](moved)


def test_a_file_of_another_kind_is_refused(tmp_path):
    with making(Maker(str(tmp_path), RECORD)):
        write_table(tmp_path / "messages.parquet", table(), "messages")
    (tmp_path / "messages.parquet").rename(tmp_path / "new_messages.parquet")
    with pytest.raises(NeuraleseError, match=r"it was made as messages\.parquet"):
        read_table(tmp_path / "new_messages.parquet", "messages")


def test_edited_provenance_does_not_turn_a_stand_in_into_real_data(tmp_path):
    make(tmp_path, "colors")
    path = tmp_path / "colors" / "report.json"
    assert data_kind(path) == "embedded"
    path.write_text(path.read_text().replace("embedded", "official"))
    with pytest.raises(NeuraleseError, match=r"report\.json was changed after it was made, or its disk is failing; de"):
        data_kind(path)


def test_what_made_a_file_is_read_from_it_and_changes_no_value(tmp_path):
    make(tmp_path, "colors/seed0", settings={"noise": 0.3}, inputs={"colors/raw": "12"})
    for name in READ:
        record = read_record(tmp_path / "colors" / "seed0" / name)
        assert record["settings"] == {"noise": 0.3}
        assert record["inputs"] == {"colors/raw": "12"}
        assert record["place"] == f"colors/seed0/{name}"
    assert read_json(tmp_path / "colors" / "seed0" / "report.json") == {"source": "embedded"}
    assert read_about(tmp_path / "colors" / "seed0" / "messages.parquet") == {"kind": "vector"}
    assert read_settings(tmp_path / "colors" / "seed0" / "agent.safetensors") == {"hidden": 2}
    assert read_table(tmp_path / "colors" / "seed0" / "messages.parquet", "messages").equals(table())


def test_the_same_makes_the_same_bytes_and_another_code_another_identity_of_the_same_data(tmp_path):
    for folder, code in (("a", "1"), ("b", "1"), ("c", "2")):
        make(tmp_path / folder, "colors", code=code)
    paths = [tmp_path / folder / "colors" / "messages.parquet" for folder in "abc"]
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()
    identities = [identity(read_record(path)) for path in paths]
    assert identities[0] == identities[1] != identities[2]
    assert len({data_digest(path) for path in paths}) == 1
    write_table(tmp_path / "other.parquet", table().slice(0, 1), "messages", about={"kind": "vector"})
    assert data_digest(tmp_path / "other.parquet") != data_digest(paths[0])


def test_files_of_a_users_own_are_read_as_they_are(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('{"source": "corpus"}')
    assert read_json(path) == {"source": "corpus"}
    assert read_record(path) is None


@pytest.mark.parametrize("content", ["", "{", "[1, 2", '{"a": 1}}', "\x00"])
def test_what_is_no_json_is_said_in_one_sentence(tmp_path, content):
    (tmp_path / "provenance.json").write_text(content)
    with pytest.raises(NeuraleseError, match=r"provenance\.json is not a whole JSON file .*; delete it and run"):
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


def test_a_stamp_holds_no_time_and_no_folder_of_this_machine(tmp_path):
    make(tmp_path / "results", "colors/seed0")
    record = read_record(tmp_path / "results" / "colors" / "seed0" / "messages.parquet")
    assert str(tmp_path) not in json.dumps(record)
    assert set(record) == {*RECORD, "place"}


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
