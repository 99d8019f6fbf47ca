"""What humans said: the traces of one split, and how they become bags of words."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.storage.tables import read_table


@dataclass(frozen=True)
class Lists:
    """Lists of numbers below `size`, one after another: list i is `values[starts[i] : starts[i + 1]]`."""

    values: Tensor
    starts: Tensor  # (n + 1,)
    size: int

    @classmethod
    def of(cls, lists: pa.ListArray, size: int) -> "Lists":
        """The lists of a table's column."""
        starts = np.concatenate([[0], np.cumsum(lists.value_lengths().to_numpy(), dtype=np.int64)])
        return cls(torch.from_numpy(lists.flatten().to_numpy().astype(np.int64)), torch.from_numpy(starts), size)

    def __getitem__(self, chosen: Tensor) -> "Lists":
        """The lists `chosen` (n,)."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        starts = torch.cat([torch.zeros(1, dtype=torch.long), lengths.cumsum(0)])
        places = torch.arange(int(starts[-1])) + torch.repeat_interleave(self.starts[chosen] - starts[:-1], lengths)
        return Lists(self.values[places], starts, self.size)

    def members(self, chosen: Tensor) -> tuple[Tensor, Tensor]:
        """Every number in the lists `chosen` (n,): in which of them it is, and the number."""
        some = self[chosen]
        return torch.repeat_interleave(torch.arange(len(chosen)), some.starts.diff()), some.values

    def bags(self, chosen: Tensor) -> Tensor:
        """How often each number occurs in the lists `chosen` (n,): (n, size)."""
        rows, members = self.members(chosen)
        bags = torch.zeros(len(chosen), self.size)
        return bags.index_put_((rows, members), torch.ones(len(rows)), accumulate=True)

    def one(self, chosen: Tensor, generator: torch.Generator) -> Tensor:
        """One number from each of the lists `chosen` (n,), drawn uniformly: (n,)."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        offsets = (torch.rand(len(chosen), generator=generator) * lengths).long()
        return self.values[self.starts[chosen] + offsets]


@dataclass(frozen=True)
class Traces:
    """Human messages: message i was said in `states[i]`, consists of `phrases` and is heard as a bag of `words`."""

    states: Tensor  # (n, s, ...) what the speaker saw, and distractors
    phrases: Lists  # from the inventory: what can be translated
    words: Lists  # what the model human understands
    games: Tensor  # (n,) which messages belong together: those of one game, or of one item
    speakers: Tensor | None = None  # (n,) which messages are in the same half, if not those that belong together

    def __len__(self) -> int:
        return len(self.states)

    def __getitem__(self, rows: Tensor) -> "Traces":
        phrases = self.phrases[rows]
        words = phrases if self.words is self.phrases else self.words[rows]
        speakers = None if self.speakers is None else self.speakers[rows]
        return Traces(self.states[rows], phrases, words, self.games[rows], speakers)

    def half(self, first: bool) -> "Traces":
        """One of two halves, which share no game, item or speaker; they are dealt alike whatever the seed.

        Where all messages belong together, both halves are the whole.
        """
        groups, member = (self.games if self.speakers is None else self.speakers).unique(return_inverse=True)
        if len(groups) < 2:
            return self
        place = torch.randperm(len(groups), generator=torch.Generator().manual_seed(0))
        return self[torch.nonzero((place[member] % 2 == 0) == first).flatten()]

    def not_silent(self, silence: int | None) -> Tensor:
        """The messages (n,) other than `silence`, which is one of the phrases (or none)."""
        if silence is None:
            return torch.arange(len(self))
        return torch.nonzero(self.phrases.values[self.phrases.starts[:-1]] != silence).flatten()


def kept(inside: np.ndarray, traces: pa.Table) -> np.ndarray:
    """The rows of `traces` that are `inside` and say something: those without a phrase of the inventory are dropped."""
    return np.flatnonzero(inside & (traces["phrases"].combine_chunks().value_lengths().to_numpy() > 0))


def load_phrases(inventory: str | Path) -> list[str]:
    """The phrases of `inventory.parquet`; an empty one stands for saying nothing."""
    return read_table(inventory, "inventory")["phrase"].to_pylist()


def phrases_alone(inventory: str | Path) -> Tensor:
    """Each phrase of the inventory heard as itself: (phrases, phrases)."""
    return torch.eye(read_table(inventory, "inventory").num_rows)
