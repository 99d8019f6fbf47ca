"""From an archive of pictures to pooled features, as a stream: memory does not grow with the number of images.

Pictures go through the network one by one: none depends on its neighbours, so shards can be pooled separately.
"""

import logging
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from neuralese.storage.errors import NeuraleseError
from neuralese.storage.tables import read_table, vectors, write_batches
from neuralese.tasks.birds.crops import Box, crop
from neuralese.tasks.birds.tables import POOLED, SHARD

if TYPE_CHECKING:
    from neuralese.tasks.birds.pooling import Extractor

log = logging.getLogger(__name__)

ROWS = 256  # rows written at a time, whatever the number of shards

# raised by Pillow for files that are not pictures, truncated or damaged
UNREADABLE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)

Wanted = dict[str, tuple[int, Box]]  # path -> image_id and the bird's box


def wanted(images: pd.DataFrame, shard: int = 0, shards: int = 1) -> Wanted:
    """The pictures of one of `shards` parts of a table of images, consecutive by image_id."""
    images = images.sort_values("image_id")
    first, last = (len(images) * each // shards for each in (shard, shard + 1))
    return {row.path: (row.image_id, tuple(row.box)) for row in images.iloc[first:last].itertuples()}


def samples(pictures: Iterable[tuple[str, bytes]], images: pd.DataFrame, size: int, count: int) -> Iterator[np.ndarray]:
    """`count` birds (size, size, 3), spread over all training images; unreadable ones are left out."""
    training = images[images["split"] == "train"]
    chosen = wanted(training.iloc[:: -(-len(training) // count)])
    for path, content in pictures:
        if path in chosen:
            with suppress(*UNREADABLE):
                yield crop(content, chosen[path][1], size)


@dataclass
class Extraction:
    """Streams pictures through a network with pooling, and remembers which were unreadable."""

    extractor: "Extractor"
    failed: dict[str, str] = field(default_factory=dict)  # path -> why

    def run(self, pictures: Iterable[tuple[str, bytes]], wanted: Wanted) -> Iterator[pa.Table]:
        """Yield rows of `pooled.parquet`, for the pictures (path, bytes) that are `wanted`, if any."""
        left, rows = dict(wanted), _Rows(*self.extractor.lengths)
        for path, content in pictures if left else ():
            if path in left:
                image_id, box = left.pop(path)
                if (picture := self._decoded(path, content, box)) is not None:
                    rows.add(image_id, *self.extractor.pool(picture))
            if len(rows.ids) == ROWS:
                yield rows.taken()
            if not left:
                break
        yield rows.taken()
        for path in left:
            self._fail(path, "it is not in the archive")

    def _decoded(self, path: str, content: bytes, box: Box) -> np.ndarray | None:
        try:
            return crop(content, box, self.extractor.size)
        except UNREADABLE as error:
            self._fail(path, "it is not a picture" if isinstance(error, UnidentifiedImageError) else str(error))
            return None

    def _fail(self, path: str, why: str) -> None:
        log.warning("the picture %s is left out: %s", path, why)
        self.failed[path] = why


def write_shard(path: str | Path, tables: Iterable[pa.Table], total: int) -> None:
    """Write the rows of an extraction as they come; there may be none."""

    def shown() -> Iterator[pa.Table]:
        with tqdm(total=total, unit="image", disable=not sys.stderr.isatty()) as bar:
            for table in tables:
                yield table
                bar.update(len(table))

    write_batches(path, _joined(shown()), SHARD)


def gather_shards(path: str | Path, shards: Iterable[str | Path]) -> None:
    """Write the rows of all shards as one table, by image_id; it is independent of the number of shards."""
    rows = 0

    def read() -> Iterator[pa.Table]:
        nonlocal rows
        for shard in shards:
            table = read_table(shard, SHARD).sort_by("image_id")
            rows += len(table)
            yield table
        if not rows:
            raise NeuraleseError("no picture could be read; see the log for the reason, and download the images again.")

    write_batches(path, _joined(read()), POOLED)


class _Rows:
    """Rows waiting to become a table; one table per picture would take longer."""

    def __init__(self, *lengths: int) -> None:
        self.ids: list[int] = []
        self.vectors = [[np.empty((0, length), np.float32)] for length in lengths]

    def add(self, image_id: int, *vectors: np.ndarray) -> None:
        self.ids.append(image_id)
        for known, vector in zip(self.vectors, vectors, strict=True):
            known.append(vector)

    def taken(self) -> pa.Table:
        """All of them, after which there are none left."""
        pooled, averages = (vectors(np.concatenate(known)) for known in self.vectors)
        table = pa.table({"image_id": pa.array(self.ids, pa.int32()), "pooled": pooled, "average": averages})
        self.ids, self.vectors = [], [known[:1] for known in self.vectors]
        return table


def _joined(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of `tables` in tables of ROWS rows each, of which only the last may have fewer."""
    kept: list[pa.Table] = []
    length, written = 0, False
    for table in tables:
        kept.append(table)
        length += len(table)
        while length >= ROWS:
            joined = pa.concat_tables(kept)
            yield joined.slice(0, ROWS).combine_chunks()
            kept, length, written = [joined.slice(ROWS)], length - ROWS, True
    if length or not written:
        yield pa.concat_tables(kept).combine_chunks()
