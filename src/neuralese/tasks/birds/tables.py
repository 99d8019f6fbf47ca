"""The tables that only the bird task has."""

import pyarrow as pa

from neuralese.storage.tables import VECTOR, Contract
from neuralese.storage.values import COUNT, SPLIT, Rules

IMAGES = Contract(
    "images",
    {
        "image_id": pa.int32(),
        "path": pa.string(),
        "class_id": pa.int32(),
        "class_name": pa.string(),
        "split": pa.string(),
        "box": pa.list_(pa.float64()),  # left, top, width, height in pixels
    },
    Rules({"split": SPLIT, "class_id": COUNT}, unique=(("image_id",), ("path",))),
)
CAPTIONS = Contract(
    "captions",
    {"image_id": pa.int32(), "caption_id": pa.int32(), "caption": pa.string()},
    Rules({}, unique=(("caption_id",),)),
)
POOLED = Contract(
    "pooled",
    {"image_id": pa.int32(), "pooled": VECTOR, "average": VECTOR},
    Rules({}, unique=(("image_id",),)),
)
FEATURES = Contract(
    "features",
    {"image_id": pa.int32(), "feature": VECTOR},
    Rules({}, unique=(("image_id",),)),
)
