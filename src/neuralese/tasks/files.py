"""The files of a task, as its parts are given them."""

from collections.abc import Mapping
from pathlib import Path

Files = Mapping[str, Path]  # by file name, such as `items.parquet`
