"""The tables that only the colour task has."""

import pyarrow as pa

from neuralese.storage.tables import Contract
from neuralese.storage.values import SHARE, SPLIT, Between, Rules

COLORS = Contract(
    "colors",
    {
        "split": pa.string(),
        "name": pa.string(),
        **dict.fromkeys(("h", "s", "v", "L", "a", "b"), pa.float32()),
    },
    Rules(
        {"split": SPLIT, "h": SHARE, "s": SHARE, "v": SHARE, "L": Between(-0.01, 100.01)}
        | dict.fromkeys(("a", "b"), Between(-128, 128))
    ),
)
