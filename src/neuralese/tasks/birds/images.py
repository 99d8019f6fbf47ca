"""From an archive of pictures to pooled features.

Pictures go through the network one by one, so none depends on its neighbours or on the number of workers.
"""

import logging
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa
from PIL import Image, UnidentifiedImageError
from tqdm import tqdm

from neuralese.errors import NeuraleseError
from neuralese.storage.tables import vectors, write_batches
from neuralese.tasks.birds.crops import Box, crop
from neuralese.tasks.birds.data import POOLED

if TYPE_CHECKING:
    from neuralese.tasks.birds.pooling import Extractor

log = logging.getLogger(__name__)

ROWS = 256  # pictures held at a time, and rows written at a time

# raised by Pillow for files that are not pictures, truncated or damaged
UNREADABLE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)

Picture = tuple[str, bytes]  # its path, and its file
Wanted = dict[str, tuple[int, Box]]  # path -> image_id and the bird's box


def wanted(images: pd.DataFrame) -> Wanted:
    """The pictures of a table of images."""
    return {row.path: (row.image_id, tuple(row.box)) for row in images.itertuples()}


def samples(pictures: Iterable[Picture], images: pd.DataFrame, size: int, count: int) -> Iterator[np.ndarray]:
    """`count` birds (size, size, 3), spread over all training images; unreadable ones are left out."""
    training = images[images["split"] == "train"]
    chosen = wanted(training.iloc[:: -(-len(training) // count)])
    for path, content in pictures:
        if path in chosen:
            with suppress(*UNREADABLE):
                yield crop(content, chosen[path][1], size)


@dataclass
class Extraction:
    """Puts pictures through a network with pooling, and remembers which were unreadable."""

    extractor: "Extractor"
    workers: int = 1
    failed: dict[str, str] = field(default_factory=dict)  # path -> why

    def run(self, pictures: Iterable[Picture], wanted: Wanted) -> pa.Table:
        """The rows of `pooled.parquet` for the pictures (path, bytes) that are `wanted`, by image_id."""
        left = dict(wanted)
        found: dict[int, tuple[np.ndarray, ...]] = {}
        shown = tqdm(total=len(wanted), unit="image", disable=not sys.stderr.isatty())
        with shown, ThreadPoolExecutor(self.workers) as pool:  # decoding and the network release Python's lock
            chosen = _taken(pictures, left)
            while several := list(islice(chosen, ROWS)):
                found |= {image_id: features for image_id, features in pool.map(self._pooled, several) if features}
                shown.update(len(several))
        for path in left:
            self._fail(path, "it is not in the archive")
        if not found:
            raise NeuraleseError("no picture could be read; see the log for the reason, and download the images again.")
        ids = sorted(found)
        pooled, average = (vectors(np.concatenate([found[each][k] for each in ids])) for k in (0, 1))
        return pa.table({"image_id": pa.array(ids, pa.int32()), "pooled": pooled, "average": average})

    def _pooled(self, picture: tuple[str, bytes, tuple[int, Box]]) -> tuple[int, tuple[np.ndarray, ...] | None]:
        """The image_id and the two pooled features of a picture; none if it cannot be read."""
        path, content, (image_id, box) = picture
        try:
            return image_id, self.extractor.pool(crop(content, box, self.extractor.size))
        except UNREADABLE as error:
            self._fail(path, "it is not a picture" if isinstance(error, UnidentifiedImageError) else str(error))
            return image_id, None

    def _fail(self, path: str, why: str) -> None:
        log.warning("the picture %s is left out: %s", path, why)
        self.failed[path] = why


def _taken(pictures: Iterable[Picture], left: Wanted) -> Iterator[tuple[str, bytes, tuple[int, Box]]]:
    """The pictures that are `left`, which are taken out of it; nothing is read after the last of them."""
    for path, content in pictures if left else ():
        if path in left:
            yield path, content, left.pop(path)
        if not left:
            break


def write_pooled(path: str | Path, pooled: pa.Table) -> None:
    """Write pooled features, some rows at a time."""
    write_batches(path, (pooled.slice(first, ROWS) for first in range(0, len(pooled), ROWS)), POOLED)
