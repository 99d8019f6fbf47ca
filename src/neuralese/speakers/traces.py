"""What humans said: the traces of one split, and how they become bags of words."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.tables import read_table


@dataclass(frozen=True)
class Traces:
    """Human messages: message i, said in state `states[i]`, has the phrases `phrases[starts[i]:starts[i + 1]]`."""

    states: Tensor  # (n, ...) what the speaker saw
    phrases: Tensor  # all phrases said, one after another
    starts: Tensor  # (n + 1,)
    inventory: int  # number of phrases there are

    def __len__(self) -> int:
        return len(self.states)

    def bags(self, chosen: Tensor) -> Tensor:
        """How often each phrase is said in the messages `chosen` (n,): (n, inventory)."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        rows = torch.repeat_interleave(torch.arange(len(chosen)), lengths)
        offsets = torch.arange(len(rows)) - torch.repeat_interleave(lengths.cumsum(0) - lengths, lengths)
        said = self.phrases[torch.repeat_interleave(self.starts[chosen], lengths) + offsets]
        bags = torch.zeros(len(chosen), self.inventory)
        return bags.index_put_((rows, said), torch.ones(len(rows)), accumulate=True)

    def one_phrase(self, chosen: Tensor, generator: torch.Generator) -> Tensor:
        """One phrase of each message `chosen` (n,), drawn evenly: (n,)."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        offsets = (torch.rand(len(chosen), generator=generator) * lengths).long()
        return self.phrases[self.starts[chosen] + offsets]


def reference_traces(
    items: pa.Table, traces: pa.Table, split: str, inventory: int, generator: torch.Generator
) -> Traces:
    """The traces of one split of a reference game; messages without any phrase of the inventory are left out.

    An item's id is its row in `items`. The other item of a message's state is what some other message is about, so
    that target and other are exchangeable.
    """
    item = traces["item_id"].to_numpy()
    said = traces["phrases"].combine_chunks()
    lengths = said.value_lengths().to_numpy()
    inside = np.asarray(items["split"].to_numpy(zero_copy_only=False) == split)
    kept = inside[item] & (lengths > 0)
    targets = torch.from_numpy(item[kept].astype(np.int64))
    others = targets[torch.randperm(len(targets), generator=generator)]
    return Traces(
        states=torch.stack([targets, others], dim=1),
        phrases=torch.from_numpy(said.flatten().to_numpy()[np.repeat(kept, lengths)].astype(np.int64)),
        starts=torch.from_numpy(np.concatenate([[0], np.cumsum(lengths[kept], dtype=np.int64)])),
        inventory=inventory,
    )


def load_reference_traces(
    items: str | Path, traces: str | Path, inventory: str | Path, split: str, generator: torch.Generator
) -> Traces:
    """`reference_traces` from the files of a task."""
    phrases = read_table(inventory, "inventory").num_rows
    return reference_traces(read_table(items, "items"), read_table(traces, "traces"), split, phrases, generator)
