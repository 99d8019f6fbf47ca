"""Everything that humans said in one go in the held-out data, as sets of phrases of the inventory.

Utterances are numbered: first the single phrases, by their own ids, then the sets of two or more said on dev
or test states, most frequent in training first. So phrases and utterances can be looked up in one dictionary.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor

from neuralese.speakers.traces import Lists, Traces
from neuralese.storage.tables import read_table

SPLITS = ("train", "dev", "test")
Parts = tuple[tuple[int, ...], ...]  # the phrases of each utterance, by utterance id


def said_at_once(phrases: Lists) -> Counter:
    """How often each set of phrases was said."""
    starts, values = phrases.starts.tolist(), phrases.values.tolist()
    counts: Counter = Counter()
    for said, count in Counter(tuple(values[start:end]) for start, end in pairwise(starts)).items():
        counts[tuple(sorted(set(said)))] += count
    return counts


def utterances_table(phrases: list[str], traces: Mapping[str, Traces]) -> pd.DataFrame:
    """Every utterance: utterance_id, text, parts, and how often it was said in each split (train, dev, test)."""
    counts = {split: said_at_once(traces[split].phrases) for split in SPLITS}
    single = [(number,) for number in range(len(phrases))]
    held_out = {parts for split in ("dev", "test") for parts in counts[split] if len(parts) > 1}
    sets = sorted(held_out, key=lambda parts: (-counts["train"][parts], parts))
    parts = [*single, *sets]
    return pd.DataFrame(
        {
            "utterance_id": range(len(parts)),
            "text": [", ".join(phrases[number] for number in each) for each in parts],
            "parts": [list(each) for each in parts],
            **{split: [counts[split][each] for each in parts] for split in SPLITS},
        }
    )


def load_parts(path: str | Path) -> Parts:
    """The phrases of each utterance of `utterances.parquet`."""
    return tuple(tuple(parts) for parts in read_table(path, "utterances")["parts"].to_pylist())


def utterance_ids(said: Tensor, parts: Parts) -> Tensor:
    """The utterances (n,) that consist of exactly the phrases `said` (n, phrases)."""
    known = {each: number for number, each in enumerate(parts)}
    numbers, ends = torch.nonzero(said)[:, 1].tolist(), torch.count_nonzero(said, dim=1).cumsum(0).tolist()
    return torch.tensor([known[tuple(numbers[start:end])] for start, end in pairwise([0, *ends])])
