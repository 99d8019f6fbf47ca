"""Birds cut out of their pictures."""

import io

import numpy as np
from PIL import Image

MARGIN = 0.03  # margin around a bird's box, as a share of its sides

Box = tuple[float, float, float, float]  # left, top, width, height in pixels


def crop(content: bytes, box: Box, size: int | None = None) -> np.ndarray:
    """Decode a picture and crop it to `box`, stretched to size x size pixels if given: (h, w, 3) bytes."""
    image: Image.Image = Image.open(io.BytesIO(content))
    image = image if image.mode == "RGB" else image.convert("RGB")  # a conversion copies, even from RGB
    left, top, width, height = box
    inside = (
        max(0.0, left - MARGIN * width),
        max(0.0, top - MARGIN * height),
        min(image.width, left + (1 + MARGIN) * width),
        min(image.height, top + (1 + MARGIN) * height),
    )
    shape = (size, size) if size else (max(1, round(inside[2] - inside[0])), max(1, round(inside[3] - inside[1])))
    return np.asarray(image.resize(shape, Image.Resampling.BICUBIC, box=inside))
