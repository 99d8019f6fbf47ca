"""What humans said: the traces of one split, and how they become bags of words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor

from neuralese.games.game import Game
from neuralese.games.replay import cells, poses
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

    def bags(self, chosen: Tensor) -> Tensor:
        """How often each number is in the lists `chosen` (n,): (n, size)."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        rows = torch.repeat_interleave(torch.arange(len(chosen)), lengths)
        offsets = torch.arange(len(rows)) - torch.repeat_interleave(lengths.cumsum(0) - lengths, lengths)
        members = self.values[torch.repeat_interleave(self.starts[chosen], lengths) + offsets]
        bags = torch.zeros(len(chosen), self.size)
        return bags.index_put_((rows, members), torch.ones(len(rows)), accumulate=True)

    def one(self, chosen: Tensor, generator: torch.Generator) -> Tensor:
        """One number of each of the lists `chosen` (n,), drawn evenly: (n,)."""
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        offsets = (torch.rand(len(chosen), generator=generator) * lengths).long()
        return self.values[self.starts[chosen] + offsets]


@dataclass(frozen=True)
class Traces:
    """Human messages: message i was said in `states[i]`, is made of `phrases` and is heard as a bag of `words`."""

    states: Tensor  # (n, 2, ...) what the speaker saw, and a distractor
    phrases: Lists  # of the inventory: what can be translated
    words: Lists  # what the model human understands
    games: Tensor  # (n,) which messages belong together: those of one game, or each for itself

    def __len__(self) -> int:
        return len(self.states)

    def spoken(self, silence: int | None) -> Tensor:
        """The messages (n,) that are not `silence`, which is one of the phrases (or none)."""
        if silence is None:
            return torch.arange(len(self))
        return torch.nonzero(self.phrases.values[self.phrases.starts[:-1]] != silence).flatten()


def load_traces(tables: Mapping[str, str | Path], game: Game, split: str, generator: torch.Generator) -> Traces:
    """The traces of one split, of whatever task `tables` belong to (see `games.load`), and `traces` and `inventory`.

    Messages without any phrase of the inventory are left out. The distractor of a message's state is the state of
    some other message, so that the two are exchangeable.
    """
    said, sizes = read_table(tables["traces"], "traces"), load_heard(tables).shape
    if "item_table" in tables:
        traces = reference_traces(read_table(tables["item_table"], "items"), said, split, sizes[0])
    else:
        rows, turns = (read_table(tables[name], name).to_pandas() for name in ("games", "turns"))
        turns = turns.join(rows.set_index("game")["split"], on="game")
        traces = driving_traces(turns, said, split, sizes)
    return replace(traces, states=game.redraw(traces.states, generator))


def reference_traces(items: pa.Table, traces: pa.Table, split: str, inventory: int) -> Traces:
    """The traces of one split of a reference game, each its own distractor. An item's id is its row in `items`."""
    item = traces["item_id"].to_numpy()
    kept = _kept(items["split"].to_numpy(zero_copy_only=False)[item] == split, traces)
    targets = torch.from_numpy(item[kept].astype(np.int64))
    phrases = Lists.of(traces["phrases"].combine_chunks().take(pa.array(kept)), inventory)
    return Traces(torch.stack([targets, targets], dim=1), phrases, words=phrases, games=torch.arange(len(kept)))


def driving_traces(turns: pd.DataFrame, traces: pa.Table, split: str, sizes: tuple[int, int]) -> Traces:
    """The traces of one split of the driving game, each its own distractor; `item_id` is a row of `turns`.

    `sizes` are the numbers of phrases and of words that there are.
    """
    item = traces["item_id"].to_numpy()
    kept = _kept((turns["split"] == split).to_numpy()[item], traces)
    rows = turns.iloc[item[kept]]
    goal = cells(rows["goal_row"], rows["goal_col"])
    own = torch.from_numpy(np.stack([rows["map"].to_numpy(dtype=np.int64), poses(rows), goal], axis=1))
    phrases, words = (
        Lists.of(traces[name].combine_chunks().take(pa.array(kept)), size)
        for name, size in zip(("phrases", "words"), sizes, strict=True)
    )
    games = torch.from_numpy(rows["game"].to_numpy(dtype=np.int64))
    return Traces(torch.stack([own, own], dim=1), phrases, words, games)


def _kept(inside: np.ndarray, traces: pa.Table) -> np.ndarray:
    return np.flatnonzero(inside & (traces["phrases"].combine_chunks().value_lengths().to_numpy() > 0))


def load_silence(tables: Mapping[str, str | Path]) -> int | None:
    """The phrase that stands for saying nothing, where there is one."""
    phrases = read_table(tables["inventory"], "inventory")["phrase"].to_pylist()
    return phrases.index("") if "" in phrases else None


def load_heard(tables: Mapping[str, str | Path]) -> Tensor:
    """As which bag of words the model human hears each phrase of the inventory: (phrases, words).

    Without a table of `words`, phrases are the words.
    """
    inventory = read_table(tables["inventory"], "inventory")
    if "words" not in tables:
        return torch.eye(inventory.num_rows)
    words = read_table(tables["words"], "words").num_rows
    return Lists.of(inventory["words"].combine_chunks(), words).bags(torch.arange(inventory.num_rows))
