"""The files of a task, as passed to its parts."""

from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, Path]  # by file name, such as `items.parquet`
