"""Everything that humans said at once, as numbered sets of phrases (see `tasks.items.utterances_table`)."""

from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor

from neuralese.storage.tables import read_table

Parts = tuple[tuple[int, ...], ...]  # the phrases of each utterance, by utterance id


def load_parts(path: str | Path) -> Parts:
    """The phrases of each utterance of `utterances.parquet`."""
    return tuple(tuple(parts) for parts in read_table(path, "utterances")["parts"].to_pylist())


def utterance_ids(said: Tensor, parts: Parts) -> Tensor:
    """The utterances (n,) that consist of exactly the phrases `said` (n, phrases)."""
    known = {each: number for number, each in enumerate(parts)}
    numbers, ends = torch.nonzero(said)[:, 1].tolist(), torch.count_nonzero(said, dim=1).cumsum(0).tolist()
    return torch.tensor([known[tuple(numbers[start:end])] for start, end in pairwise([0, *ends])])
