"""Judges of English in reference games besides the model human, who make other errors than it does.

    H*           a network fitted to the half of people's speech that no translator has seen (`listeners.ModelHuman`)
    neighbours   what people really said of the candidate, or of the items nearest to it: no model at all
    comparative  which candidate lies further in the direction from all that people spoke of to what they called so

H* reads words as a translator's network does, neighbours as descriptions, comparatives as comparisons. What people's
own words reach says what a judge can tell at all.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from neuralese.evaluate.listeners import Listener, Random
from neuralese.speakers.traces import Lists, Traces


@dataclass
class Neighbours(Listener):
    """Prefers the candidate of which people said these words more often, and nobody if they never did.

    `traces` is what people said of items with `features` (items, d), by whose numbers candidates are known. Asked are
    those who spoke of the candidate itself, or of the `nearest` items.
    """

    traces: Traces
    features: Tensor
    nearest: int = 0
    own: bool = False  # whether the words to judge are among `traces`, and have to be left out
    name = "neighbours"

    def __post_init__(self) -> None:
        from scipy.spatial import KDTree  # most stages do not need it

        self.items, order = self.traces.states[:, 0].sort(stable=True)
        self.words = self.traces.words[order]
        self.tree = KDTree(self.features[self.items].numpy()) if self.nearest else None
        # the states last asked about, and what people say of them: conditions are compared on the same states
        self.last: tuple[Tensor, Tensor, Tensor] | None = None

    def unaware(self) -> "Neighbours":
        return self if self.nearest else replace(self, own=True)

    def said(self, items: Tensor) -> tuple[Tensor, Tensor]:
        """How often each word was said of each of `items` (n,), (n, words), in how many messages (n,)."""
        from scipy.sparse import csr_matrix

        if self.tree:
            nearest = min(self.nearest, len(self.items))
            rows = self.tree.query(self.features[items].numpy(), nearest)[1].ravel()
            many = torch.full((len(items),), nearest)
        else:
            first, last = (torch.searchsorted(self.items, items, right=right) for right in (False, True))
            many = last - first
            rows = (torch.arange(int(many.sum())) + (first - many.cumsum(0) + many).repeat_interleave(many)).numpy()
        asked = np.ones(len(rows), dtype=np.float32), rows, np.append(0, many.cumsum(0).numpy())
        known = np.ones(len(self.words.values), dtype=np.float32), self.words.values.numpy(), self.words.starts.numpy()
        messages = csr_matrix(asked, (len(items), len(self.items)))
        said = messages @ csr_matrix(known, (len(self.items), self.words.size))
        return torch.from_numpy(said.toarray()), many.float()

    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        if heard is None:
            return torch.zeros(states.shape)
        if self.last is None or not torch.equal(self.last[0], states):
            items, place = states.unique(return_inverse=True)
            said, many = self.said(items)
            self.last = states, said[place], many[place]
        _, said, many = self.last
        least = 1 / (2 * float(many.max().clamp(min=1)))  # stands for never, whoever was asked
        if self.own:
            said, many = said.clone(), many.clone()
            said[:, 0] -= heard
            many[:, 0] -= 1
        shares = said / many.clamp(min=1)[:, :, None]
        preferences = ((shares + least).log() * heard[:, None]).sum(2)
        return preferences.where((many > 0).all(1, keepdim=True), 0)  # nobody can be asked about one of them


class Comparative(Listener):
    """Hears "red" as "the redder one": prefers the candidate further in the direction of what people call red.

    Candidates are known as by `Neighbours`. The direction of a word leads from the mean of all that people spoke of to
    the mean of what they called so; all words of a bag count alike.
    """

    name = "comparative"

    def __init__(self, traces: Traces, features: Tensor) -> None:
        seen = features[traces.states[:, 0]]
        means = word_means(traces.words, seen)
        self.features, self.directions = features, torch.nn.functional.normalize(means - seen.mean(0), dim=1)

    def preferences(self, heard: Tensor | None, states: Tensor, generator: Random = None) -> Tensor:
        if heard is None:
            return torch.zeros(states.shape)
        return (self.features[states] @ (heard @ self.directions)[:, :, None]).squeeze(2)


def word_means(words: Lists, seen: Tensor) -> Tensor:
    """The mean of what was `seen` (n, d) where each word was said, (words, d); that of all for words never said."""
    rows = torch.repeat_interleave(torch.arange(len(seen)), words.starts.diff())
    totals = torch.zeros(words.size, seen.shape[1]).index_add_(0, words.values, seen[rows])
    counts = torch.bincount(words.values, minlength=words.size)[:, None]
    return torch.where(counts > 0, totals / counts.clamp(min=1), seen.mean(0))
