"""Fuzz archives and corpora: whatever is changed in one, it is refused in one sentence or read as what it holds.

    python tests/faults/fuzz_inputs.py --archives 500 --corpora 500 --seed 0

Of an archive, all that is read must have the digest of what was packed, or another digest: then nothing is accepted as
the published one that holds other values. Of a corpus, whatever is read must be what the changed files say.
"""

import argparse
import bz2
import csv
import gzip
import io
import json
import lzma
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from neuralese.data.archives import content_digest, members
from neuralese.errors import NeuraleseError

sys.path.insert(0, str(Path(__file__).parents[1] / "corpus"))

USED = r"(?:^|/)data/(.+\.txt)$"
ODD = [
    b"",
    b"\0",
    b"\xff",
    b"\n",
    b"/",
    b"..",
    b"PK\1\2",
    b"\x1f\x8b",
    b"7" * 12,
    b"\x80" + b"\xff" * 11,
    bytes(512),
    b"%",
]
Outcome = tuple[str, str]  # refused, same or other; and what went wrong, if anything did


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


KINDS = ["tar", "tar.pax", "tar.gz", "tar.bz2", "tar.xz", "zip", "zip.stored"]


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """Other bytes here and there: flipped, cut out, put in, written over, repeated, moved, or the end cut off."""
    for _ in range(int(rng.integers(1, 4))):
        if not content:
            return content
        at, length = int(rng.integers(len(content))), int(rng.integers(1, 600))
        odd = ODD[int(rng.integers(len(ODD)))]
        other = int(rng.integers(len(content)))
        content = [
            lambda c=content, at=at: c[:at] + bytes([c[at] ^ (1 << int(rng.integers(8)))]) + c[at + 1 :],
            lambda c=content, at=at, n=length: c[:at] + c[at + n :],
            lambda c=content, at=at, odd=odd: c[:at] + odd + c[at:],
            lambda c=content, at=at, odd=odd: c[:at] + odd + c[at + len(odd) :],
            lambda c=content, at=at, n=length: c[:at] + c[at : at + n] + c[at:],
            lambda c=content, at=at, to=other, n=length: c[:to] + c[at : at + n] + c[to + n :],
            lambda c=content, at=at: c[:at],
        ][int(rng.integers(7))]()
    return content


def fuzz_archives(count: int, seed: int, folder: Path) -> Counter:
    """Change archives of all kinds; how many were refused, read as they were, or known to be others."""
    rng, found = np.random.default_rng([seed, 1]), Counter()
    files = {f"top/data/{name}.txt": rng.bytes(int(rng.integers(0, 900))) for name in ("one", "two", "a/" + "b" * 120)}
    files |= {"top/README": b"not used", "top/data/other.bin": rng.bytes(700)}
    path = folder / "archive"
    path.write_bytes(packed(files, "tar"))
    right, wanted = content_digest(path, USED), dict(members(path, USED))
    for number in range(count):
        path.write_bytes(mutated(packed(files, KINDS[number % len(KINDS)]), rng))
        try:
            digest, held = content_digest(path, USED), dict(members(path, USED))
        except NeuraleseError as error:
            found["refused" if is_sentence(error) else "no sentence"] += 1
        except BaseException as error:
            found[f"traceback ({type(error).__name__}: {error})"] += 1
        else:
            if (digest == right) != (held == wanted):
                found["accepted with other values"] += 1
            else:
                found["the same" if digest == right else "known to be another"] += 1
    return found


def is_sentence(error: Exception) -> bool:
    text = str(error)
    return text.isprintable() and text.endswith((".", "?")) and len(text) < 2000


def fuzz_corpora(count: int, seed: int, folder: Path) -> Counter:
    """Change files of corpora; how many were refused, and how many were read as what they say."""
    from small_corpus import small_corpus, write
    from test_read import WITH_CONTEXTS, converted

    from neuralese.tasks.corpus.describe import describe
    from neuralese.tasks.corpus.read import read_corpus

    rng, found = np.random.default_rng([seed, 2]), Counter()
    for number in range(count):
        suffix = (".csv", ".jsonl", ".parquet")[number % 3]
        whole = small_corpus() | (WITH_CONTEXTS if number % 2 else {})
        whole = whole if suffix == ".csv" else converted(whole, suffix)
        files = {name: each if isinstance(each, bytes) else each.encode() for name, each in whole.items()}
        chosen = sorted(files)[int(rng.integers(len(files)))]
        files[chosen] = mutated(files[chosen], rng)
        try:
            corpus = read_corpus(write(folder / str(number), files))
            describe(corpus)
        except NeuraleseError as error:
            found["refused" if all(map(is_sentence, _sentences(error))) else "no sentence"] += 1
        except BaseException as error:
            found[f"traceback ({type(error).__name__}: {error}) in {chosen} of {number}"] += 1
        else:
            outcome = _compared(corpus, files)
            found[f"{outcome} ({chosen} of {number})" if outcome.startswith(BAD) else outcome] += 1
    return found


def _sentences(error: NeuraleseError) -> list[Exception]:
    return [NeuraleseError(each) for each in getattr(error, "sentences", [str(error)])]


def _table(file: str, content: bytes) -> list[dict]:
    """The rows of a table, by the standard library's readers or by pyarrow's."""
    if file.endswith(".parquet"):
        return pq.read_table(io.BytesIO(content)).to_pylist()
    text = content.decode("utf-8-sig")
    if file.endswith(".jsonl"):
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return [row for row in csv.DictReader(io.StringIO(text, newline="")) if any(row.values())]


def _compared(corpus: object, files: dict[str, bytes]) -> str:
    """Whether what was read of states and messages is what the changed tables say, where another reader reads them."""
    tables = {name: next(each for each in files if each.startswith(f"{name}.")) for name in ("states", "messages")}
    try:
        states, said = (_table(file, files[file]) for file in tables.values())
        ids = [str(row["state_id"]).strip() for row in states]
        sizes = [float(row["size"]) for row in states]
        first = [
            int(row["message"].split()[0] if isinstance(row["message"], str) else row["message"][0]) for row in said
        ]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, csv.Error, pa.ArrowException):
        return "read, by this reader alone"
    column = corpus.states.columns.get("size")
    right = tuple(ids) == corpus.states.ids and first == [each[0] for each in corpus.messages.symbols or ()]
    right &= column is None or column.type != "number" or np.allclose(column.values, sizes)
    return "read as it says" if right else "accepted with other values"


BAD = ("traceback", "accepted", "no sentence")


def main() -> int:
    """Run the long form, and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("archives", "corpora"):
        parser.add_argument(f"--{name}", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    given, bad = parser.parse_args(), 0
    for name, fuzz, count in (("archives", fuzz_archives, given.archives), ("corpora", fuzz_corpora, given.corpora)):
        with tempfile.TemporaryDirectory() as folder:
            found = fuzz(count, given.seed, Path(folder))
        bad += sum(number for outcome, number in found.items() if outcome.startswith(BAD))
        print(f"{count} {name}: " + ", ".join(f"{number} {outcome}" for outcome, number in found.most_common()))
    return bad


if __name__ == "__main__":
    sys.exit(main() > 0)
