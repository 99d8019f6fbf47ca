"""The tables that a corpus is made into."""

import pyarrow as pa

from neuralese.storage.tables import MESSAGE, VECTOR, Contract
from neuralese.storage.values import COUNT, ROW, SPLIT, Between, Rules

STATES = Contract(
    "states",
    {
        "state": pa.int32(),
        "name": pa.string(),  # its id in the corpus
        "group": pa.int32(),  # distractors are from the same group: they share the columns `same`
        "shown": pa.string(),  # its label in pictures and on the page
        "label": pa.string(),  # the same without colours, for use on a swatch
        "color": pa.string(),  # "#rrggbb", or empty if a state has no colour
        "picture": pa.string(),  # its row of `pictures.parquet`, or empty
        "feature": VECTOR,
    },
    Rules({"state": ROW, "group": COUNT}, unique=(("name",),)),
)
PICTURES = Contract(
    "pictures",
    {"picture": pa.string(), "content": pa.binary()},  # a path inside the corpus, and a small copy as WebP
    Rules({}, unique=(("picture",),), may_be_empty=True),
)
RECORDED = Contract(
    "recorded",
    {
        "state": pa.int32(),
        "split": pa.string(),
        "message": MESSAGE,
        "candidates": pa.list_(pa.int32()),  # the true state first; empty if none were recorded
        "picked": pa.int8(),  # whether the real listener picked the true state; -1 if unknown
        "group": pa.int32(),  # of messages that belong together: those of an episode, or each by itself
    },
    Rules({"state": COUNT, "split": SPLIT, "candidates": COUNT, "picked": Between(-1, 1), "group": COUNT}),
)

JUDGED = ("dev", "test")  # splits in which translations are judged, each by a p(z | x) fitted to its own messages
JUDGES = tuple(f"judge_{split}.safetensors" for split in JUDGED)
