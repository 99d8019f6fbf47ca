"""The tables that a corpus is made into."""

from dataclasses import replace

import pyarrow as pa

from neuralese.storage.schema import MESSAGE, SPLIT, Column, contract, int8, int32, int32s, text, vector

STATES = contract(
    "states",
    "name",
    state=int32("Its row, from 0.", row_number=True),
    name=text("Its id in the corpus."),
    group=int32("Distractors are of the same group: they share the columns `same`.", low=0),
    shown=text("What it is called in pictures and on the page."),
    label=text("The same without colours, to stand on a swatch."),
    color=text("As `#rrggbb`, or empty."),
    picture=text("Its row in `pictures.parquet`, or empty."),
    feature=vector("What players see of it."),
)
PICTURES = replace(
    contract(
        "pictures",
        "picture",
        picture=text("Its path in the corpus."),
        content=Column(pa.binary(), "A small copy of the picture, as WebP."),
    ),
    may_be_empty=True,
)
RECORDED = contract(
    "recorded",
    state=int32("The true state, by its row.", low=0),
    split=SPLIT,
    message=Column(MESSAGE, "What was said: a vector, or symbols."),
    candidates=int32s("The true state and its distractors; empty where none were recorded.", low=0),
    picked=int8("Whether the real listener picked the true state; -1 where it is not known.", low=-1, high=1),
    group=int32("Which messages belong together: those of an episode, or each for itself.", low=0),
)

JUDGED = ("dev", "test")  # splits in which translations are judged, each by a p(z | x) fitted to its own messages
JUDGES = tuple(f"judge_{split}.safetensors" for split in JUDGED)
