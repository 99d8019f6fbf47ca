"""The items of a reference game, by their features, and the traces of what humans said of them."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from neuralese.storage.tables import matrix, vectors


def items_table(split: pd.Series, features: np.ndarray) -> pa.Table:
    """Items in the order given (an item's id is its row); features (n, d) are standardised by the training items."""
    training = features[(split == "train").to_numpy()]
    spread = training.std(0)
    standard = (features - training.mean(0)) / np.where(spread > 0, spread, 1)
    return pa.table(
        {
            "item_id": pa.array(np.arange(len(features), dtype=np.int32)),
            "split": pa.array(split.astype("category")).cast(pa.dictionary(pa.int32(), pa.string())),
            "feature": vectors(standard),
        }
    )


def bird_items(images: pd.DataFrame, features: pa.Table) -> pa.Table:
    """The images that have features as items, in the features' order, with their image_id."""
    split = images.set_index("image_id")["split"].loc[features["image_id"].to_numpy()].reset_index(drop=True)
    return items_table(split, matrix(features["feature"])).append_column("image_id", features["image_id"])


def traces_table(items: Iterable[int], **said: Iterable[Sequence[int]]) -> pa.Table:
    """One row for each human message: the item it is about and what was said of it, as lists of ids (`phrases=...`)."""
    lists = {name: pa.array(list(ids), type=pa.list_(pa.int16())) for name, ids in said.items()}
    return pa.table({"item_id": pa.array(np.fromiter(items, dtype=np.int32)), **lists})
