"""A disk that is full or read-only is said in one sentence, and no half-written file is left.

The disks are small file systems of the tests' own, mounted where no other process sees them.
"""

import errno
import json
import os
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from neuralese.data.data_sets import Archive, DataSet
from neuralese.data.fetch import fetch
from neuralese.errors import StorageError
from neuralese.storage.files import LEFT_BEHIND, atomic, write_text
from neuralese.storage.tables import vectors, write_table

WRITE_ALL = """
import json, sys
from pathlib import Path
import matplotlib, numpy as np, pyarrow as pa, torch
from neuralese.errors import NeuraleseError
from neuralese.storage.files import atomic, write_text
from neuralese.stages.job import logged
from neuralese.storage.tables import vectors, write_table
from neuralese.storage.weights import save_checkpoint, save_weights
matplotlib.use("agg")
from matplotlib.figure import Figure

random = np.random.default_rng(0).random((100_000, 3))
table = pa.table({"item_id": range(100_000), "split": ["train"] * 100_000, "feature": vectors(random)})

def figure(path):
    drawn = Figure(figsize=(9, 9))
    drawn.add_subplot().imshow(random.reshape(600, 500))
    with atomic(path) as temporary:
        drawn.savefig(temporary, format="png")

WRITERS = {
    "table": lambda path: write_table(path, table, "items"),
    "weights": lambda path: save_weights(path, torch.nn.Linear(500, 500), {}),
    "checkpoint": lambda path: save_checkpoint(path, {"replay": torch.rand(1_000_000)}),
    "text": lambda path: write_text(path, "x" * 1_000_000),
    "figure": figure,
}
folder, said = Path(sys.argv[1]), {}
for name, write in WRITERS.items():
    try:
        write(folder / name)
    except NeuraleseError as error:
        said[name] = str(error)
said["files"] = sorted(path.name for path in folder.iterdir())
print(json.dumps(said))
with logged(folder / "logs" / "stage.log"):
    write_text(folder / "out" / "text", "x" * 1_000_000)
"""


def on_a_disk(folder: Path, mount: str) -> tuple[dict, subprocess.CompletedProcess]:
    """Let every kind of writer write into `folder`, on a file system of its own."""
    folder.mkdir()
    inside = ["unshare", "--mount", "--map-root-user", "sh", "-e", "-c", f'{mount}; exec "$@"', "sh"]
    try:
        possible = subprocess.run([*inside, "true"], capture_output=True, cwd=folder.parent).returncode == 0
    except FileNotFoundError:
        possible = False
    if not possible:
        pytest.skip("this machine lets nobody mount a file system of their own (unshare --mount)")
    done = subprocess.run(
        [*inside, sys.executable, "-c", WRITE_ALL, str(folder)], capture_output=True, text=True, cwd=folder.parent
    )
    return json.loads(done.stdout), done


@pytest.mark.slow
def test_a_full_disk_is_named_by_every_writer_and_keeps_nothing_half_written(tmp_path):
    said, done = on_a_disk(tmp_path / "disk", "mount -t tmpfs -o size=128k none disk; echo kept > disk/kept")
    assert said.pop("files") == ["kept"]
    assert said.keys() == {"table", "weights", "checkpoint", "text", "figure"}
    for name, sentence in said.items():
        assert sentence.startswith(f"{tmp_path}/disk/{name} cannot be written: the disk is full; free some space")
        assert "\n" not in sentence
    assert done.returncode == 1
    assert done.stderr.strip().endswith("/out/text cannot be written: the disk is full; free some space, then run "
                                        "again; everything that was finished is kept.")  # fmt: skip
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_read_only_folder_is_named(tmp_path):
    said, done = on_a_disk(tmp_path / "disk", "mount -t tmpfs none disk; mount -o remount,ro disk")
    assert said.pop("files") == []
    for name, sentence in said.items():
        assert sentence.startswith(f"{tmp_path}/disk/{name} cannot be written: you may not write to its folder")
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "disk/logs" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="it has no such limit")
def test_a_limit_on_the_size_of_files_is_named(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(StorageError, match="exceeds the file size limit"):
            write_text(tmp_path / "text", "x" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_a_disk_that_fills_while_copying_from_a_mirror_stops_the_run_instead_of_going_on_without_the_data(
    tmp_path, monkeypatch
):
    def full(source, destination):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "given").write_bytes(b"archive")
    monkeypatch.setattr("neuralese.data.fetch.shutil.copyfile", full)
    archive = Archive("file", "given", (), "", "")
    places = {"mirror": tmp_path / "mirror", "partial": tmp_path, "embed": pytest.fail}
    with pytest.raises(StorageError, match="the disk is full"):
        fetch(DataSet("data", "none", (archive,)), tmp_path / "raw", source="auto", **places)


def test_many_writers_of_one_file_leave_one_whole_file(tmp_path):
    tables = [
        pa.table({"item_id": range(n), "split": ["train"] * n, "feature": vectors(np.full((n, 2), n))})
        for n in (10, 200, 3000)
    ]
    with ThreadPoolExecutor() as writers:
        list(writers.map(lambda table: write_table(tmp_path / "items", table, "items"), tables * 10))
    whole = [tmp_path / str(table.num_rows) for table in tables]
    for path, table in zip(whole, tables, strict=True):
        write_table(path, table, "items")
    assert (tmp_path / "items").read_bytes() in [path.read_bytes() for path in whole]
    assert len(list(tmp_path.iterdir())) == 4


def test_what_a_killed_writer_left_is_swept_after_a_day_and_a_living_one_is_left_alone(tmp_path):
    leave = "import os, sys; from neuralese.storage.files import atomic; "
    leave += "next(atomic.__wrapped__(sys.argv[1])).write_text('half'); os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", leave, str(tmp_path / "text")])
    (left,) = tmp_path.iterdir()
    os.utime(left, (left.stat().st_mtime - LEFT_BEHIND - 60,) * 2)
    with atomic(tmp_path / "text") as temporary:
        temporary.write_text("slow")
        write_text(tmp_path / "text", "quick")
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([temporary.name, "text"])
    assert [path.read_text() for path in tmp_path.iterdir()] == ["slow"]
