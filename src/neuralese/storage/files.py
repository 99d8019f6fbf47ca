"""Files that are either whole or absent, and that record what made them.

with making({"stage": "train_agent", ...}):     # as `stages.stage` does
    write_json(path, ...)
read_made(path)["stage"]                        # "train_agent"

Every write goes to a temporary name, then `os.replace`. The stage, its settings, a digest of its code and the kind of
data are in the metadata of Parquet and safetensors files and in JSON files.
"""

import errno
import glob
import hashlib
import json
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from neuralese.errors import DamagedError, NeuraleseError, StorageError

KEY = "neuralese"  # of the entry that says what made a file
_made: ContextVar[Mapping[str, Any] | None] = ContextVar("made", default=None)

NO_LEAVE = "you may not write to its folder; make it writable or choose another with --config results=..."
REASONS = {  # why a write fails that no code can fix, and what to do
    errno.ENOSPC: "the disk is full; free some space",
    errno.EDQUOT: "your disk quota is used up; free some space",
    errno.EFBIG: "it exceeds the file size limit; raise the limit (ulimit -f)",
    errno.EIO: "the disk reports an error; check the disk",
    errno.EROFS: NO_LEAVE,
    errno.EACCES: NO_LEAVE,
    errno.EPERM: NO_LEAVE,
}
ONLY_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)  # never the fault of a file that is read
LEFT_BEHIND = 24 * 3600  # seconds without a write after which the writer of a temporary file was killed


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; it is renamed to `path` only if the block succeeds.

    Several writers of one file do not disturb each other: the last one wins. A `StorageError` says why the disk
    refused.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:16]}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > LEFT_BEHIND:
                    left.unlink()
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())  # or a power cut may leave the new name with old bytes or none
        os.replace(temporary, path)
    except OSError as error:
        if why := storage_problem(error, path, temporary):
            raise StorageError(why) from error
        raise
    finally:
        with suppress(OSError):  # the folder became read-only: the reason is being raised already
            temporary.unlink(missing_ok=True)


def storage_problem(error: OSError, path: str | Path, temporary: str | Path | None = None) -> str | None:
    """One sentence if `error` means that the disk refused to write `path`, else nothing.

    While `path` is written as `temporary`, any error on either is about writing; otherwise it may be about reading.
    """
    ours = temporary and str(error.filename) in {"None", str(path), str(temporary), str(Path(path).parent)}
    if error.errno not in REASONS or not (ours or error.errno in ONLY_WRITING):
        return None
    return f"{path} cannot be written: {REASONS[error.errno]}, then run again; everything that was finished is kept."


def unwritable(folder: str | Path) -> str | None:
    """One sentence if `folder` cannot be written to, or created."""
    folder = Path(folder).absolute()
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if not there.is_dir():
        return f"{folder} cannot be written: {there} is not a folder; choose another with --config results=..."
    return None if os.access(there, os.W_OK) else f"{folder} cannot be written: {NO_LEAVE}, then run again."


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write `content` unchanged."""
    with atomic(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8."""
    write_bytes(path, text.encode())


def write_json(path: str | Path, value: Mapping[str, Any]) -> None:
    """Write `value` as indented JSON, with a digest and what made it."""
    about = {KEY: {"sha256": _digest(value), **made_by()}}
    write_text(path, json.dumps({**about, **value}, indent=2, ensure_ascii=False) + "\n")


def read_json(path: str | Path) -> dict[str, Any]:
    """Read a JSON file that holds a mapping, without what made it; raise a `NeuraleseError` if it is damaged."""
    try:
        value = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise not_made(path) from None
    except (ValueError, RecursionError):
        raise DamagedError(path) from None
    if not isinstance(value, dict) or not is_whole(value):
        raise DamagedError(path)
    value.pop(KEY, None)
    return value


def not_made(path: str | Path) -> NeuraleseError:
    """The error for a file of the results that is missing."""
    return NeuraleseError(f"{path} does not exist yet; run snakemake to make it.")


def is_whole(value: Mapping[str, Any]) -> bool:
    """Whether a JSON file holds what was written; a user's own file has no digest to check."""
    about = value.get(KEY, {})
    content = {name: each for name, each in value.items() if name != KEY}
    return isinstance(about, dict) and about.get("sha256", _digest(content)) == _digest(content)


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def file_digest(path: str | Path, algorithm: str = "sha256") -> str:
    """Return the hexadecimal digest of a file's bytes."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


@contextmanager
def making(made: Mapping[str, Any]) -> Iterator[None]:
    """Write `made` into the metadata of every file that is written meanwhile."""
    token = _made.set(made)
    try:
        yield
    finally:
        _made.reset(token)


def made_by() -> dict[str, Any]:
    """The `made` of the enclosing `making`; empty outside of one."""
    return dict(_made.get() or {})


def read_made(path: str | Path) -> dict[str, Any]:
    """What made a Parquet, safetensors or JSON file; a `KeyError` if it does not say."""
    match Path(path).suffix:
        case ".parquet":
            import pyarrow.parquet as pq

            return json.loads(pq.read_metadata(path).metadata[KEY.encode()])
        case ".safetensors":
            from safetensors import safe_open

            with safe_open(path, framework="numpy") as file:
                return json.loads(file.metadata()[KEY])
        case _:
            return json.loads(Path(path).read_text(encoding="utf-8"))[KEY]
