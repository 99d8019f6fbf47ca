"""Pictures of states: checking them, features from an image network, and small copies for the report."""

import io
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

NETWORK = "efficientnet-lite0"
PIXELS = 224  # side of the square shown to the network: the size it was trained on
THUMBNAIL = 96  # pixels of the longer side of a small copy
QUALITY = 70  # of its WebP

ImageFeatures = Callable[[Sequence[Path]], np.ndarray]  # paths of n pictures -> (n, d)


class PictureError(Exception):
    """A picture is not one, or is damaged: its position, and why."""

    def __init__(self, place: int, why: str) -> None:
        super().__init__(why)
        self.place = place


def seen(paths: Sequence[Path]) -> np.ndarray:
    """The network's features of pictures: its last feature maps, averaged over the picture, (n, 1280)."""
    import torch

    from neuralese.tasks.birds.features import Network, export_backbone

    network = Network(export_backbone(NETWORK, PIXELS))
    maps = (network.maps(_decoded(path, place, PIXELS)[None]) for place, path in enumerate(paths))
    return np.stack([torch.from_numpy(each).mean((2, 3))[0].numpy() for each in maps])


def checked(paths: Sequence[Path]) -> np.ndarray:
    """Decode pictures without extracting features: (n, 1) zeros."""
    for place, path in enumerate(paths):
        _decoded(path, place, 1)
    return np.zeros((len(paths), 1), dtype=np.float32)


def thumbnail(path: Path) -> bytes:
    """A small copy of a picture, as WebP."""
    from PIL import Image

    small = Image.fromarray(_decoded(path, 0, None))
    small.thumbnail((THUMBNAIL, THUMBNAIL))
    buffer = io.BytesIO()
    small.save(buffer, "WEBP", quality=QUALITY)
    return buffer.getvalue()


def _decoded(path: Path, place: int, size: int | None) -> np.ndarray:
    """A picture as meant to be seen, stretched to size x size pixels if given: (h, w, 3) bytes."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            upright = ImageOps.exif_transpose(image).convert("RGB")
            return np.asarray(upright if size is None else upright.resize((size, size), Image.Resampling.BICUBIC))
    except UnidentifiedImageError:
        raise PictureError(place, "its format is unknown") from None
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:  # raised by damaged pictures
        raise PictureError(place, str(error)) from None
