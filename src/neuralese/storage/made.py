"""What made a file: the stage, its settings, a digest of its code and the kind of data, in the file's metadata.

with making({"stage": "train_agent", ...}):     # as `stages.stage` does
    write_table(path, ...)
read_made(path)["stage"]                        # "train_agent"
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

KEY = "neuralese"  # of the entry, in the metadata of Parquet and safetensors files and in JSON files
_made: ContextVar[Mapping[str, Any] | None] = ContextVar("made", default=None)


@contextmanager
def making(made: Mapping[str, Any]) -> Iterator[None]:
    """Write `made` into the metadata of every file that is written meanwhile."""
    token = _made.set(made)
    try:
        yield
    finally:
        _made.reset(token)


def made_by() -> dict[str, Any]:
    """What makes the files that are written now; empty outside of `making`."""
    return dict(_made.get() or {})


def read_made(path: str | Path) -> dict[str, Any]:
    """What made a Parquet, safetensors or JSON file; empty if it does not say."""
    found: Any = None
    match Path(path).suffix:
        case ".parquet":
            import pyarrow.parquet as pq

            found = json.loads((pq.read_metadata(path).metadata or {}).get(KEY.encode(), b"{}"))
        case ".safetensors":
            from safetensors import safe_open

            with safe_open(path, framework="numpy") as file:
                found = json.loads((file.metadata() or {}).get(KEY, "{}"))
        case ".json":
            value = json.loads(Path(path).read_text(encoding="utf-8"))
            found = value.get(KEY) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
