"""The public archives that a task is made from, how to verify them, and the record of where they came from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.storage.files import file_digest, read_json

KINDS = ("official", "mirror", "embedded", "corpus")  # where data comes from
PEOPLE, ATTRIBUTES = "people", "attributes"  # who says the phrases of an inventory


@dataclass(frozen=True)
class Archive:
    """One public archive."""

    file: str  # its name in the raw folder
    mirror: str  # its name in a mirror folder
    urls: tuple[str, ...]  # official addresses, in order of preference
    used: str  # pattern of the members that are used (see `archives.members`)
    content_sha256: str  # `archives.content_digest` of these members
    file_md5: str = ""  # md5 of another, equally good edition, if there is one
    largest: int = 1 << 28  # maximum size in bytes: a longer download is aborted


@dataclass(frozen=True)
class DataSet:
    """What one task is made from; a task without archives generates its data itself."""

    title: str
    licence: str
    archives: tuple[Archive, ...] = ()


def provenance(raw: str | Path, rows: dict[str, int], **more: object) -> dict[str, Any]:
    """Where raw data came from, with the number of rows of each table made from it."""
    return {**read_json(Path(raw) / "source.json"), "rows": rows, **more}


def read_provenance(path: str | Path) -> dict[str, Any]:
    """Read the record of where a task's data came from."""
    known = read_json(path)
    texts = all(isinstance(known.get(name, ""), str) for name in ("data_set", "time", "speaker"))
    rows = known.get("rows", {})
    counts = isinstance(rows, dict) and all(type(count) is int for count in rows.values())
    if known.get("source") not in KINDS or not texts or not counts:
        raise NeuraleseError(f"{path} does not say where the data comes from; delete it and run snakemake again.")
    return known


def raw_kind(raw: str | Path) -> str:
    """The kind of data in a raw folder, after verifying that its files are those that were fetched."""
    source = read_json(Path(raw) / "source.json")
    for each in source["files"]:
        path = Path(raw) / each["file"]
        if not path.is_file() or file_digest(path) != each["sha256"]:
            raise NeuraleseError(f"{path} is not the file that was fetched; delete {raw} and run again.")
    return source["source"]
