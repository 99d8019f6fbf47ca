"""The tables that a corpus is made into."""

import pyarrow as pa

from neuralese.storage.tables import MESSAGE, VECTOR, Contract
from neuralese.storage.values import COUNT, ROW, SPLIT, Between, Rules

STATES = Contract(
    "states",
    {
        "state": pa.int32(),
        "name": pa.string(),  # its id in the corpus
        "group": pa.int32(),  # distractors are of the same group: they share the columns `same`
        "shown": pa.string(),  # what it is called in pictures and on the page
        "label": pa.string(),  # the same without colours, to stand on a swatch
        "color": pa.string(),  # "#rrggbb", or empty where a state has no colour
        "picture": pa.string(),  # in which row of `pictures.parquet` it is shown, or empty
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
        "candidates": pa.list_(pa.int32()),  # the true state first; empty where none were recorded
        "picked": pa.int8(),  # whether the real listener picked the true state; -1 where it is not known
        "group": pa.int32(),  # of messages that belong together: those of an episode, or each for itself
    },
    Rules({"state": COUNT, "split": SPLIT, "candidates": COUNT, "picked": Between(-1, 1), "group": COUNT}),
)
