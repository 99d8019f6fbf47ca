"""Which data a result was made from."""

from pathlib import Path

from neuralese.storage.files import read_json, write_json


def write_provenance(path: str | Path, raw: str | Path, rows: dict[str, int], **more: object) -> None:
    """Write where the raw data came from, with the number of rows that each table made of it has."""
    write_json(path, {**read_json(Path(raw) / "source.json"), "rows": rows, **more})


PEOPLE, ATTRIBUTES = "people", "attributes"  # who says the phrases of an inventory


def data_kind(provenance: str | Path) -> str:
    """`official`, `mirror`, `embedded` or `corpus`."""
    return read_json(provenance)["source"]
