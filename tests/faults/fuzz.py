"""Change files at random and read them: none may be read as what it is not, and none may end in a traceback.

    python tests/faults/fuzz.py                              # 2,000 tables and 1,000 files of weights, among others

A changed file of the results is refused in one sentence or holds what was written. What is read of a changed archive
has another digest, unless it is what was packed. The script ends with exit code 1 if there is a fault.
"""

import bz2
import gzip
import io
import lzma
import random
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from neuralese.data.archives import content_digest, members
from neuralese.errors import NeuraleseError
from neuralese.storage.files import making, read_json, write_json
from neuralese.storage.tables import read_about, read_table, vectors, write_table
from neuralese.storage.weights import read_weights, save_weights

Read = Callable[[Path], object]  # what a file holds, in a form that can be compared with ==
Attempt = Callable[[random.Random, int], str]  # change a file and read it: what came of the n-th attempt
MADE = {"stage": "fuzz", "settings": {"noise": 0.3}, "code": "0" * 16, "data": "embedded"}
BAD = ("traceback", "accepted", "no sentence")
ODD = [
    *(b"", b"\0", b"\xff", b"\n", b"/", b"..", b"%", b"PK\1\2"),
    *(b"\x1f\x8b", b"7" * 12, b"\x80" + b"\xff" * 11, bytes(512)),
]


@dataclass(frozen=True)
class Kind:
    """A kind of file: what is done in a folder to try one, how often the long form tries it, and the short one."""

    make: Callable[[Path], Attempt]
    files: int
    few: int = 60


KINDS: dict[str, Kind] = {}


def changed(content: bytes, dice: random.Random) -> bytes:
    """`content` with some bytes changed, lost, repeated, moved or added."""
    if not content:
        return b"\0"
    start, odd = dice.randrange(len(content)), dice.choice(ODD)
    length = min(len(content) - start, dice.choice((1, 1, 1, 2, 8, 64, 512)))
    head, block, tail = content[:start], content[start : start + length], content[start + length :]
    noise = dice.randbytes(length)
    other = dice.choice(
        [
            head + bytes([block[0] ^ 1 << dice.randrange(8)]) + block[1:] + tail,  # a bit
            head + noise + tail,
            head + bytes(length) + tail,
            head + odd + block + tail,
            head + odd + content[start + len(odd) :],
            head + tail,
            head + noise + block + tail,
            head + block + block + tail,
            head,  # cut short
            tail + head + block,
            block,
        ]
    )
    return other if other != content else changed(content, dice)


def results(name: str, files: int) -> Callable:
    """Register a function that writes result files of a kind into a folder and returns how each is read."""

    def register(write: Callable[[Path], dict[Path, Read]]) -> Callable:
        def make(folder: Path) -> Attempt:
            with making(MADE):
                reads = write(folder)
            whole = {path: (path.read_bytes(), read(path)) for path, read in reads.items()}

            def attempt(dice: random.Random, number: int) -> str:
                path = dice.choice(list(reads))
                content, value = whole[path]
                path.write_bytes(changed(content, dice))
                try:
                    return "harmless" if reads[path](path) == value else f"accepted with other values: {path.name}"
                finally:
                    path.write_bytes(content)

            return attempt

        KINDS[name] = Kind(make, files)
        return write

    return register


@results("parquet", files=2000)
def tables(folder: Path) -> dict[Path, Read]:
    """Tables of the kinds that agents, dictionaries and evaluations are kept in."""
    generator = np.random.default_rng(0)
    messages = {
        "message_id": pa.array(range(200), pa.int32()),
        "split": ["train", "test"] * 100,
        "message": vectors(generator.normal(size=(200, 16))),
    }
    inventory = {
        "phrase_id": pa.array(range(50), pa.int32()),
        "phrase": [f"word{number}" for number in range(50)],
        "count": generator.integers(1, 1000, 50),
    }
    traces = {"item_id": pa.array(range(300), pa.int32()), "phrases": pa.array([[1, 2]] * 300, pa.list_(pa.int16()))}
    history = {"update": range(1, 40)}
    history |= {name: generator.random(39) for name in ("loss", "reward", "success", "epsilon")}
    made = {
        "messages": lambda path: write_table(path, pa.table(messages), "messages", about={"kind": "vector"}),
        "inventory": lambda path: write_table(path, pa.table(inventory), "inventory"),
        "traces": lambda path: write_table(path, pa.table(traces), "traces"),
        "history": lambda path: write_table(path, pa.table(history), "history"),
    }
    paths = {}
    for name, write in made.items():
        write(path := folder / f"{name}.parquet")
        paths[path] = lambda path, name=name: (read_table(path, name).to_pydict(), read_about(path))
    return paths


@results("safetensors", files=1000)
def weights(folder: Path) -> dict[Path, Read]:
    """Weights of a small network."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4))
    save_weights(path := folder / "agent.safetensors", network, {"hidden": 16})

    def read(path: Path) -> object:
        found, settings = read_weights(path)
        return {name: tensor.tolist() for name, tensor in found.items()}, settings

    return {path: read}


@results("json", files=500)
def records(folder: Path) -> dict[Path, Read]:
    """Provenance."""
    value = {"data_set": "Wörter", "source": "embedded", "rows": {"colors": 1000}, "files": [{"file": "xkcd"}]}
    write_json(path := folder / "provenance.json", value)
    return {path: lambda path: [read_json(path).get(name) for name in value]}  # by name, as all code does


def packed(files: dict[str, bytes], kind: str) -> bytes:
    """An archive of these files."""
    buffer = io.BytesIO()
    if kind.startswith("zip"):
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if kind == "zip" else zipfile.ZIP_STORED) as zipped:
            for name, content in files.items():
                zipped.writestr(name, content)
        return buffer.getvalue()
    form = tarfile.PAX_FORMAT if kind.endswith("pax") else tarfile.GNU_FORMAT
    with tarfile.open(fileobj=buffer, mode="w", format=form) as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    pack: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
    return pack.get(kind.split(".")[-1], bytes)(buffer.getvalue())


def archives(folder: Path) -> Attempt:
    """Archives of all kinds: the digest of what is read is right exactly if that is what was packed."""
    kinds, used = ["tar", "tar.pax", "tar.gz", "tar.bz2", "tar.xz", "zip", "zip.stored"], r"(?:^|/)data/(.+\.txt)$"
    dice = random.Random(0)
    files = {f"top/data/{name}.txt": dice.randbytes(dice.randrange(900)) for name in ("one", "two", "a/" + "b" * 120)}
    files |= {"top/README": b"not used", "top/data/other.bin": dice.randbytes(700)}
    path = folder / "archive"
    path.write_bytes(packed(files, "tar"))
    right, wanted = content_digest(path, used), dict(members(path, used))

    def attempt(dice: random.Random, number: int) -> str:
        content = packed(files, kinds[number % len(kinds)])
        for _ in range(dice.randrange(1, 4)):
            content = changed(content, dice)
        path.write_bytes(content)
        digest, held = content_digest(path, used), dict(members(path, used))
        if (digest == right) != (held == wanted):
            return "accepted with other values"
        return "harmless" if digest == right else "known to be another"

    return attempt


KINDS["archives"] = Kind(archives, files=500, few=105)


def fuzz(name: str, files: int, seed: int) -> Counter:
    """Change files of a kind a number of times: what came of it."""
    dice, found = random.Random(f"{name} {seed}"), Counter()
    with tempfile.TemporaryDirectory() as folder:
        attempt = KINDS[name].make(Path(folder))
        for number in range(files):
            try:
                found[attempt(dice, number)] += 1
            except NeuraleseError as error:
                found["refused" if is_sentence(str(error)) else f"no sentence: {error}"] += 1
            except BaseException as error:
                found[f"traceback in {number} ({type(error).__name__}: {error})"] += 1
    return found


def is_sentence(text: str) -> bool:
    return text.isprintable() and text.endswith((".", "?")) and len(text) < 2000


def main() -> int:
    """Run the long form and print what happened."""
    bad = 0
    for name, kind in KINDS.items():
        found = fuzz(name, kind.files, seed=0)
        bad += sum(count for outcome, count in found.items() if outcome.startswith(BAD))
        print(f"{kind.files} {name}: {', '.join(f'{count} {each}' for each, count in found.most_common())}", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
