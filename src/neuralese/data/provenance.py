"""Which data a result was made from."""

from pathlib import Path
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.storage.files import read_json

KINDS = ("official", "mirror", "embedded", "corpus")  # where data comes from
PEOPLE, ATTRIBUTES = "people", "attributes"  # who says the phrases of an inventory


def provenance(raw: str | Path, rows: dict[str, int], **more: object) -> dict[str, Any]:
    """Where raw data came from, with the number of rows of each table made from it."""
    return {**read_json(Path(raw) / "source.json"), "rows": rows, **more}


def read_provenance(path: str | Path) -> dict[str, Any]:
    """The recorded source of a task's data; a damaged file is refused in one sentence."""
    try:
        known: Any = read_json(path)
    except (ValueError, RecursionError, OSError):
        known = None
    if not _is_whole(known):
        raise NeuraleseError(f"{path} does not say where the data comes from; delete it and run snakemake again.")
    return known


def _is_whole(known: object) -> bool:
    """Whether every fact is present and valid."""
    if not isinstance(known, dict) or known.get("source") not in KINDS:
        return False
    rows, texts = known.get("rows", {}), [known.get(name, "") for name in ("data_set", "time", "speaker")]
    counted = isinstance(rows, dict) and all(type(count) is int for count in rows.values())
    return counted and all(isinstance(text, str) for text in texts)


def data_kind(provenance: str | Path) -> str:
    """`official`, `mirror`, `embedded` or `corpus`."""
    return read_provenance(provenance)["source"]
