"""What a file records about itself: what made it from what, and a digest of its bytes, checked whenever it is read.

    with making(Maker("results", {"stage": "train_agent", ...})):     # as a stage does, `pipeline.stage`
        write_table("results/colors/seed0/history.parquet", ...)      # stamped as `colors/seed0/history.parquet`
    read_record("results/colors/seed0/history.parquet")               # what made it

A stamp is JSON in the metadata of a Parquet or safetensors file, and the first entry of a JSON file; other files have
theirs in a hidden file next to them. The digest covers all bytes but its own, so no byte changes unnoticed. Files
without a stamp (a user's own) are read unchecked.
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

KEY = "neuralese"  # the stamp's key, in the metadata of Parquet and safetensors files and in JSON files
MARK = "neuralese-sha256:"
BLANK = MARK + "0" * 64  # stands in for the digest while it is computed
# the beginning of a stamp, with its quotes escaped where it is inside a string of a JSON header
STAMP = re.compile(rb'\{\s*(\\?)"digest\1": \1"' + MARK.encode() + rb"([0-9a-f]{64})")
WINDOW = 1 << 20  # a stamp begins within this many bytes of the start or the end
STAMPED = (".parquet", ".safetensors", ".json")  # files that carry their stamp themselves
SWEEP = "sweep"  # the folder of the points of a sweep
ANEW = "delete it and run snakemake again"

Record = dict[str, Any]


@dataclass(frozen=True)
class Maker:
    """What is being made: the results folder, and the record shared by all files of one job."""

    results: str
    record: Mapping[str, Any]

    def place(self, path: str | Path) -> str:
        """A file's path below the results folder; just its name, if it is elsewhere."""
        path, results = Path(path).absolute(), Path(self.results).absolute()
        return path.relative_to(results).as_posix() if path.is_relative_to(results) else path.name


_maker: Maker | None = None  # one per process, which makes one thing at a time
_whole: set[tuple] = set()  # files that this process has verified, with the state they were in
SETTLED = 2  # seconds after which a change shows in a file's modification time, on any file system


@contextmanager
def making(maker: Maker) -> Iterator[None]:
    """Stamp everything written meanwhile as made by `maker`."""
    global _maker
    before, _maker = _maker, maker
    try:
        yield
    finally:
        _maker = before


def stamp(path: str | Path) -> dict[str, Any]:
    """The stamp of a file that is about to be written to `path`; `seal` it once it is written."""
    made_by = {} if _maker is None else {"by": {**_maker.record, "place": _maker.place(path)}}
    return {"digest": BLANK, **made_by}


def seal(written: Path) -> None:
    """Write the digest of a file's bytes into its stamp."""
    with open(written, "r+b") as file, mmap.mmap(file.fileno(), 0) as content:
        found = _find(content)
        assert found is not None  # `stamp` made it
        content[found.start : found.start + 64] = found.digest(content)
        content.flush()


@contextmanager
def opened(path: str | Path) -> Iterator[mmap.mmap | bytes]:
    """The bytes of a file, once verified to be those that were written, in the place where they were written."""
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
    """What made a file, according to its stamp, without reading the rest; none if there is no stamp."""
    try:
        with open(path, "rb") as file:
            found = _find(_mapped(file))
    except OSError:
        return None
    return None if found is None else found.record


@dataclass(frozen=True)
class _Stamp:
    """A stamp as found in a file: where its digest begins, and what made the file."""

    start: int
    record: Record | None

    def digest(self, content: mmap.mmap | bytes) -> bytes:
        """The expected digest."""
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
    """The last stamp near the end, where Parquet keeps its metadata, or else the first one near the beginning."""
    for base, which in ((max(0, len(content) - WINDOW), -1), (0, 0)):
        near = content[base : base + WINDOW]
        if found := list(STAMP.finditer(near)):
            return _Stamp(base + found[which].start(2), _parsed(near[found[which].start() :], bool(found[which][1])))
    return None


def _parsed(text: bytes, escaped: bool) -> Record | None:
    """The record of the stamp that `text` begins with."""
    try:
        plain = text.decode("utf-8", errors="replace")
        plain = JSONDecoder().raw_decode(f'"{plain}')[0] if escaped else plain
        record = JSONDecoder().raw_decode(plain)[0].get("by")
    except ValueError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("inputs"), dict) else None


def check_place(path: str | Path, record: Record) -> None:
    """Raise a `NeuraleseError` if a file is where another one belongs, according to its stamp."""
    place = record.get("place")
    if place is None:
        return
    parts, expected = Path(path).absolute().parts, Path(place).parts
    above = parts[: -len(expected)]
    if parts[-len(expected) :] != expected or (above[-2:-1] == (SWEEP,) and expected[0] != SWEEP):
        raise NeuraleseError(f"{path} is not what its name says: it was made as {place}; {ANEW}.")


def identity(record: Mapping[str, Any]) -> str:
    """A short text that changes whenever what made a file does: its inputs, its code or its place."""
    kept = {name: value for name, value in record.items() if name != "data"}  # which follows from the rest
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()[:16]
