"""From an archive of pictures to pooled features, in a stream: memory does not grow with the number of images."""

import logging
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
from PIL import Image
from tqdm import tqdm

from neuralese.errors import NeuraleseError
from neuralese.features.backbone import Backbone
from neuralese.features.crops import Box, crop
from neuralese.features.pooling import CompactBilinear, average
from neuralese.tables import vectors, write_batches

log = logging.getLogger(__name__)

BATCH = 32


@dataclass
class Extraction:
    """Streams pictures through a backbone and pooling, and remembers which could not be read."""

    backbone: Backbone
    size: int  # length of a pooled feature
    threads: int = 1
    failed: dict[str, str] = field(default_factory=dict)  # path -> why

    def run(self, pictures: Iterable[tuple[str, bytes]], wanted: dict[str, tuple[int, Box]]) -> Iterator[pa.Table]:
        """Yield rows of `pooled.parquet` in batches, for the pictures (path, bytes) that are `wanted` by path."""
        seen, pooling = set(), None
        with ThreadPoolExecutor(self.threads) as pool:
            stream = ((path, content) for path, content in pictures if path in wanted)
            while chunk := list(islice(stream, BATCH)):
                seen.update(path for path, _ in chunk)
                crops = pool.map(lambda item: self._decoded(item[0], item[1], wanted[item[0]][1]), chunk)
                good = [
                    (wanted[path][0], picture)
                    for (path, _), picture in zip(chunk, crops, strict=True)
                    if picture is not None
                ]
                if good:
                    maps = self.backbone.maps(np.stack([picture for _, picture in good]))
                    pooling = pooling or CompactBilinear(maps.shape[1], self.size)
                    yield pa.table(
                        {
                            "image_id": pa.array([number for number, _ in good], pa.int32()),
                            "pooled": vectors(pooling(maps).numpy()),
                            "average": vectors(average(maps).numpy()),
                        }
                    )
        for path in wanted.keys() - seen:
            self._fail(path, "it is not in the archive")

    def _decoded(self, path: str, content: bytes, box: Box) -> np.ndarray | None:
        try:
            return crop(content, box, self.backbone.size)
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            self._fail(path, str(error))
            return None

    def _fail(self, path: str, why: str) -> None:
        log.warning("the picture %s is left out: %s", path, why)
        self.failed[path] = why


def write_pooled(path: str | Path, batches: Iterable[pa.Table], total: int) -> None:
    """Write the batches of an extraction as they come."""

    def shown() -> Iterator[pa.Table]:
        table = None
        with tqdm(total=total, unit="image", disable=not sys.stderr.isatty()) as bar:
            for table in batches:
                yield table
                bar.update(len(table))
        if table is None:
            raise NeuraleseError(
                "not one picture could be read; look into the log for why, and fetch the images again."
            )

    write_batches(path, shown(), "pooled")
