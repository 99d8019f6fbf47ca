"""What a file says about itself: who made it from what, and a digest of its bytes; checked whenever it is read.

    with making(Maker("results", {"stage": "train_agent", ...})):     # a stage does so, `pipeline.stage`
        write_table("results/colors/seed0/history.parquet", ...)      # is stamped as `colors/seed0/history.parquet`
    read_record("results/colors/seed0/history.parquet")               # what made it

A stamp is JSON in the metadata of a Parquet or safetensors file, and the first entry of a JSON file; any other file has
one in a hidden file beside it. The digest is of all bytes but its own, so no byte of a file changes unnoticed. Files
without a stamp (a user's own) are read as they are.
"""

import hashlib
import json
import mmap
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from json import JSONDecoder
from pathlib import Path
from typing import Any, BinaryIO

from neuralese.storage.errors import NeuraleseError

KEY = "neuralese"  # of the stamp, in the metadata of Parquet and safetensors files and in JSON files
MARK = "neuralese-sha256:"
BLANK = MARK + "0" * 64  # what stands in the place of the digest while it is worked out
# the beginning of a stamp, whose quotes are escaped where it stands inside a text of a JSON header
STAMP = re.compile(rb'\{\s*(\\?)"digest\1": \1"' + MARK.encode() + rb"([0-9a-f]{64})")
WINDOW = 1 << 20  # a stamp begins among so many first or last bytes
STAMPED = (".parquet", ".safetensors", ".json")  # files that carry their stamp themselves
SWEEP = "sweep"  # the folder of the points of a sweep
ANEW = "delete it and run snakemake again"

Record = dict[str, Any]


@dataclass(frozen=True)
class Maker:
    """What is being made: the results folder, and the record that all files of one job share."""

    results: str
    record: Mapping[str, Any]

    def place(self, path: str | Path) -> str:
        """Where a file is, below the results; its name, if it is elsewhere."""
        path, results = Path(path).absolute(), Path(self.results).absolute()
        return path.relative_to(results).as_posix() if path.is_relative_to(results) else path.name


_maker: Maker | None = None  # of this process, which makes one thing at a time
_whole: set[tuple] = set()  # files that this process has found to be whole, in the state in which they were
SETTLED = 2  # seconds after which a file that changes has another time of change, on any file system


@contextmanager
def making(maker: Maker) -> Iterator[None]:
    """Stamp what is written meanwhile as made by `maker`."""
    global _maker
    before, _maker = _maker, maker
    try:
        yield
    finally:
        _maker = before


def stamp(path: str | Path) -> dict[str, Any]:
    """The stamp of a file that is about to be written to `path`; `seal` it once it is."""
    made_by = {} if _maker is None else {"by": {**_maker.record, "place": _maker.place(path)}}
    return {"digest": BLANK, **made_by}


def seal(written: Path) -> None:
    """Put the digest of a file's bytes into its stamp."""
    with open(written, "r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        found = _find(content)
        assert found is not None  # `stamp` made it
        content[found.start : found.start + 64] = found.digest(content)
        content.flush()


@contextmanager
def opened(path: str | Path) -> Iterator[mmap.mmap | bytes]:
    """The bytes of a file, once they are found to be those that were written, and the file to be where it was made."""
    with open(path, "rb") as file:
        content, state = _mapped(file), os.fstat(file.fileno())
    known = (str(path), state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    if known not in _whole:
        _check_bytes(path, content)
        if time.time() - max(state.st_mtime, state.st_ctime) > SETTLED:
            _whole.add(known)
    yield content


def _check_bytes(path: str | Path, content: mmap.mmap | bytes) -> None:
    found = _find(content)
    marked = found or any(MARK.encode() in near for near in (content[:WINDOW], content[-WINDOW:]))
    if marked and (found is None or content[found.start : found.start + 64] != found.digest(content)):
        raise NeuraleseError(f"{path} was changed after it was made, or its disk is failing; {ANEW}.")
    if found:
        check_place(path, found.record or {})


def read_record(path: str | Path) -> Record | None:
    """What made a file, by its stamp, without a look at the rest of it; none if it does not say."""
    try:
        with open(path, "rb") as file:
            found = _find(_mapped(file))
    except OSError:
        return None
    return None if found is None else found.record


@dataclass(frozen=True)
class _Stamp:
    """A stamp as it stands in a file: where its digest begins, and what made the file."""

    start: int
    record: Record | None

    def digest(self, content: mmap.mmap | bytes) -> bytes:
        """What the digest has to be."""
        total = hashlib.sha256()
        with memoryview(content) as view:
            for part in (view[: self.start], b"0" * 64, view[self.start + 64 :]):
                total.update(part)
                del part
        return total.hexdigest().encode()


def _mapped(file: BinaryIO) -> mmap.mmap | bytes:
    try:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # it is empty
        return b""


def _find(content: mmap.mmap | bytes) -> _Stamp | None:
    """The last stamp near the end, where Parquet has its metadata, or else the first one near the beginning."""
    for base, which in ((max(0, len(content) - WINDOW), -1), (0, 0)):
        near = content[base : base + WINDOW]
        if found := list(STAMP.finditer(near)):
            return _Stamp(base + found[which].start(2), _parsed(near[found[which].start() :], bool(found[which][1])))
    return None


def _parsed(text: bytes, escaped: bool) -> Record | None:
    """The record of the stamp with which `text` begins."""
    try:
        plain = text.decode("utf-8", errors="replace")
        plain = JSONDecoder().raw_decode(f'"{plain}')[0] if escaped else plain
        record = JSONDecoder().raw_decode(plain)[0].get("by")
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("inputs"), dict) else None


def check_place(path: str | Path, record: Record) -> None:
    """Raise a `NeuraleseError` if a file stands where another one belongs, by what it says of itself."""
    place = record.get("place")
    if place is None:
        return
    parts, expected = Path(path).absolute().parts, Path(place).parts
    above = parts[: -len(expected)]
    if parts[-len(expected) :] != expected or (above[-2:-1] == (SWEEP,) and expected[0] != SWEEP):
        raise NeuraleseError(f"{path} is not what its name says: it was made as {place}; {ANEW}.")


def identity(record: Mapping[str, Any]) -> str:
    """A short text that is another one as soon as a file is made of, by or as something else."""
    kept = {name: value for name, value in record.items() if name != "data"}  # which follows from the rest
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]
