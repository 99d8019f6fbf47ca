"""The tables of items, and of what humans said about them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa

from neuralese.storage.tables import vectors

SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Prepared:
    """What a task without its own rules makes from its raw data."""

    items: pa.Table  # see `items_table`
    traces: pa.Table  # see `traces_table`
    phrases: Sequence[str]  # the inventory, in the order of the ids in the traces
    rows: dict[str, int] = field(default_factory=dict)  # row counts of the data, by name


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


def traces_table(items: Iterable[int], **said: Iterable[Sequence[int]]) -> pa.Table:
    """One row for each human message: its item and what was said about it, as lists of ids (`phrases=...`)."""
    lists = {name: pa.array(list(ids), type=pa.list_(pa.int16())) for name, ids in said.items()}
    return pa.table({"item_id": pa.array(np.fromiter(items, dtype=np.int32)), **lists})


def inventory_table(phrases: Sequence[str], traces: pa.Table) -> pd.DataFrame:
    """The inventory with the count of each phrase: phrase_id, phrase, count."""
    said = traces["phrases"].combine_chunks().flatten().to_numpy().astype(np.int64)
    counts = np.bincount(said, minlength=len(phrases))
    return pd.DataFrame({"phrase_id": range(len(phrases)), "phrase": list(phrases), "count": counts})


def utterances_table(phrases: Sequence[str], traces: pa.Table, split: Iterable[str]) -> pd.DataFrame:
    """All that humans said at once, as sets of phrases, given the split of each trace.

    Single phrases come first, by their own ids, then the sets of two or more that were said on dev or test states, the
    most frequent in training first. So phrases and utterances can be looked up in one dictionary. Columns:
    utterance_id, text, parts, and how often it was said in each split.
    """
    said = traces["phrases"].combine_chunks()
    values, ends = said.flatten().to_pylist(), [0, *np.cumsum(said.value_lengths().to_numpy()).tolist()]
    lists = (tuple(values[start:end]) for start, end in pairwise(ends))
    counts: dict[str, Counter[tuple[int, ...]]] = {name: Counter() for name in SPLITS}
    for (name, ids), count in Counter(zip(split, lists, strict=True)).items():
        if ids:  # what has no phrase of the inventory is not an utterance
            counts[name][tuple(sorted(set(ids)))] += count
    single = [(number,) for number in range(len(phrases))]
    held_out = {parts for name in ("dev", "test") for parts in counts[name] if len(parts) > 1}
    parts = [*single, *sorted(held_out, key=lambda parts: (-counts["train"][parts], parts))]
    return pd.DataFrame(
        {
            "utterance_id": range(len(parts)),
            "text": [", ".join(phrases[number] for number in each) for each in parts],
            "parts": [list(each) for each in parts],
            **{name: [counts[name][each] for each in parts] for name in SPLITS},
        }
    )
