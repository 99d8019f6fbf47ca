"""Change files at random and read them: none may be read as what it is not, and none may end in a traceback.

    python tests/faults/fuzz.py                              # 2,000 tables, 1,000 files of weights and 500 of JSON

A changed file is refused in one sentence or holds what was written. The script ends with exit code 1 if there is a
fault.
"""

import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import nn

from neuralese.errors import NeuraleseError
from neuralese.storage.files import making, read_json, write_json
from neuralese.storage.tables import read_about, read_table, vectors, write_table
from neuralese.storage.weights import read_weights, save_weights

Read = Callable[[Path], object]  # what a file holds, in a form that can be compared with ==
MADE = {"stage": "fuzz", "settings": {"noise": 0.3}, "code": "0" * 16, "data": "embedded"}
BAD = ("traceback", "accepted", "no sentence")
ODD = [
    *(b"", b"\0", b"\xff", b"\n", b"/", b"..", b"%", b"PK\1\2"),
    *(b"\x1f\x8b", b"7" * 12, b"\x80" + b"\xff" * 11, bytes(512)),
]


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


def weights(folder: Path) -> dict[Path, Read]:
    """Weights of a small network."""
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 4))
    save_weights(path := folder / "agent.safetensors", network, {"hidden": 16})

    def read(path: Path) -> object:
        found, settings = read_weights(path)
        return {name: tensor.tolist() for name, tensor in found.items()}, settings

    return {path: read}


def records(folder: Path) -> dict[Path, Read]:
    """Provenance."""
    value = {"data_set": "Wörter", "source": "embedded", "rows": {"colors": 1000}, "files": [{"file": "xkcd"}]}
    write_json(path := folder / "provenance.json", value)
    return {path: lambda path: [read_json(path).get(name) for name in value]}  # by name, as all code does


# what writes files of a kind and says how each is read, and how many the long form changes
KINDS = {"parquet": (tables, 2000), "safetensors": (weights, 1000), "json": (records, 500)}


def fuzz(name: str, files: int, seed: int) -> Counter:
    """Change files of a kind a number of times: what came of it."""
    dice, found = random.Random(f"{name} {seed}"), Counter()
    with tempfile.TemporaryDirectory() as folder:
        with making(MADE):
            reads = KINDS[name][0](Path(folder))
        whole = {path: (path.read_bytes(), read(path)) for path, read in reads.items()}
        for number in range(files):
            path = dice.choice(list(reads))
            content, value = whole[path]
            path.write_bytes(changed(content, dice))
            try:
                found["harmless" if reads[path](path) == value else f"accepted with other values: {path.name}"] += 1
            except NeuraleseError as error:
                found["refused" if is_sentence(str(error)) else f"no sentence: {error}"] += 1
            except BaseException as error:
                found[f"traceback in {number} ({type(error).__name__}: {error})"] += 1
            path.write_bytes(content)
    return found


def is_sentence(text: str) -> bool:
    return text.isprintable() and text.endswith((".", "?")) and len(text) < 2000


def main() -> int:
    """Run the long form and print what happened."""
    bad = 0
    for name, (_, files) in KINDS.items():
        found = fuzz(name, files, seed=0)
        bad += sum(count for outcome, count in found.items() if outcome.startswith(BAD))
        print(f"{files} {name}: {', '.join(f'{count} {each}' for each, count in found.most_common())}", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
