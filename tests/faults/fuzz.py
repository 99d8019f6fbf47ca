"""Change result files at random and read them: no change may go unnoticed, and none may end in a traceback.

    python tests/faults/fuzz.py                          # 2,000 tables and 1,000 files of weights, among others
    python tests/faults/fuzz.py --files parquet=50       # a few of one kind

A kind of file is a function, registered by `kind`, that writes some into a folder and returns how each is read. A read
that ends in a `NeuraleseError` is a refusal; one that gives what was written is harmless; anything else is counted as a
fault: other values, or any other exception. The script ends with exit code 1 if there is one.
"""

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from neuralese.errors import NeuraleseError
from neuralese.storage.files import making, read_json, write_json
from neuralese.storage.tables import read_about, read_table, vectors, write_batches, write_table
from neuralese.storage.weights import read_weights, save_weights

Read = Callable[[Path], object]  # what a file holds, in a form that can be compared with ==
MADE = {"stage": "fuzz", "settings": {"noise": 0.3}, "code": "0" * 16, "data": "embedded"}


@dataclass(frozen=True)
class Kind:
    """A kind of file: how some are made in a folder, and how many changes the long form tries."""

    make: Callable[[Path], dict[Path, Read]]
    files: int


KINDS: dict[str, Kind] = {}


def kind(name: str, files: int) -> Callable:
    """Register a function that writes files of a kind into a folder and returns how each is read."""

    def register(make: Callable[[Path], dict[Path, Read]]) -> Callable:
        KINDS[name] = Kind(make, files)
        return make

    return register


@kind("parquet", files=2000)
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
    history = {"update": range(1, 40), **{name: generator.random(39) for name in ("loss", "reward")}}
    history |= {name: generator.random(39) for name in ("success", "epsilon")}
    made = {
        "messages": lambda path: write_table(path, pa.table(messages), "messages", about={"kind": "vector"}),
        "inventory": lambda path: write_table(path, pa.table(inventory), "inventory"),
        "traces": lambda path: write_batches(path, [pa.table(traces)] * 3, "traces"),
        "history": lambda path: write_table(path, pa.table(history), "history"),
    }
    paths = {}
    for name, write in made.items():
        write(path := folder / f"{name}.parquet")
        paths[path] = lambda path, name=name: (read_table(path, name).to_pydict(), read_about(path))
    return paths


@kind("safetensors", files=1000)
def weights(folder: Path) -> dict[Path, Read]:
    """Weights of a small network."""
    save_weights(
        path := folder / "agent.safetensors", nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4)), {"hidden": 16}
    )

    def read(path: Path) -> object:
        found, settings = read_weights(path)
        return {name: tensor.tolist() for name, tensor in found.items()}, settings

    return {path: read}


@kind("json", files=500)
def records(folder: Path) -> dict[Path, Read]:
    """Provenance."""
    value = {"data_set": "Wörter", "source": "embedded", "rows": {"colors": 1000}, "files": [{"file": "xkcd"}]}
    write_json(path := folder / "provenance.json", value)
    return {path: lambda path: [read_json(path).get(name) for name in value]}  # by name, as all code does


def changed(content: bytes, dice: random.Random) -> bytes:
    """`content` with some bytes changed, lost, repeated, moved or added."""
    if not content:
        return b"\0"
    start = dice.randrange(len(content))
    length = min(len(content) - start, dice.choice((1, 1, 1, 2, 8, 64, 512)))
    head, block, tail = content[:start], content[start : start + length], content[start + length :]
    noise = dice.randbytes(length)
    return dice.choice(
        [
            head + bytes([block[0] ^ 1 << dice.randrange(8)]) + block[1:] + tail,  # a bit
            head + noise + tail,
            head + bytes(length) + tail,
            head + tail,
            head + noise + block + tail,
            head + block + block + tail,
            head,  # cut short
            tail + head + block,
            block,
        ]
    )


def fuzz(name: str, files: int, seed: int) -> tuple[Counter, list[str]]:
    """Change files of a kind a number of times: what happened, and what should not have."""
    dice, counts, faults = random.Random(f"{name} {seed}"), Counter(), []
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        with making(MADE):
            reads = KINDS[name].make(Path(folder))
        whole = {path: (path.read_bytes(), read(path)) for path, read in reads.items()}
        for _ in range(files):
            path = dice.choice(list(reads))
            content, value = whole[path]
            while (other := changed(content, dice)) == content:
                pass
            path.write_bytes(other)
            try:
                same = reads[path](path) == value
            except NeuraleseError as error:
                counts["refused"] += 1
                if "\n" in str(error):
                    faults.append(f"{path.name}: more than one line is said: {error}")
            except Exception as error:
                counts["tracebacks"] += 1
                faults.append(f"{path.name}: {type(error).__name__}: {error}")
            else:
                counts["harmless" if same else "other values"] += 1
                if not same:
                    faults.append(f"{path.name} was read with other values")
            path.write_bytes(content)
    return counts, faults


def main() -> int:
    """Read the command line, run, and print what happened."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="+", metavar="KIND=COUNT", help=f"instead of all of {', '.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    asked = {name: each.files for name, each in KINDS.items()}
    if given.files:
        asked = {name: int(count) for name, count in (each.split("=") for each in given.files)}
    wrong = []
    for name, files in asked.items():
        counts, faults = fuzz(name, files, given.seed)
        wrong += faults
        print(f"{name}: {files} changed files: {json.dumps(dict(sorted(counts.items())))}", flush=True)
    print("\n".join(wrong[:20]))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
