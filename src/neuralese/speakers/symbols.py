"""p(z | x) of agents whose messages are sequences of symbols: two models.

`PositionSpeaker` takes the symbols of a message to be independent given the state; `AutoregressiveSpeaker` lets each
depend on those before it. Both are distributions over all sequences up to the greatest length: the end is one of the
classes at every position, a sequence stops at the first end, and what a position would have said after it is
ignored.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from neuralese.agents.messages import Sequences, distinct
from neuralese.errors import NeuraleseError
from neuralese.games.states import States

MEMORY = 64  # units of the GRU: messages are short
STATES = 256  # states in which prefixes are scored at a time
BLOCK = 2**20  # logits computed at a time, so that they stay in the cache


class SymbolSpeaker(nn.Module, ABC):
    """p(z | x) over sequences of symbols."""

    kind: str
    width = 1.0

    def __init__(self, hidden: int, vocabulary: Sequence[int], longest: int, ends: bool) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "vocabulary": list(vocabulary), "longest": longest, "ends": ends}
        self.vocabulary, self.longest, self.ends = tuple(vocabulary), longest, ends
        self.classes = len(vocabulary) + ends  # a language without ends has no class for them

    @torch.no_grad()
    def log_prob(self, messages: Sequences, observations: Tensor, widen: float = 1.0) -> Tensor:
        """log p(z_k | x_i) / widen^2, (K, n), of messages in observations (n, ...).

        `widen` is a temperature: a Gaussian `widen` times as wide has, up to a constant, the log-density
        divided by `widen` squared, as here. The result is *not* normalised unless `widen` is 1, which would take a
        sum over all sequences in every state. The missing term depends on the state, so beliefs at other temperatures
        are those of a power of p(z | x), not of the distribution proportional to it.
        """
        places, possible = self._fitted(messages)
        first, which = distinct(observations)  # contexts share their states
        scores = self._score(places, observations[first]) if len(places) else torch.empty(0, len(first))
        scores[~possible] = -torch.inf
        scores = scores[:, which]
        return scores if widen == 1.0 else scores.div_(widen**2)

    def log_peak(self, widen: float = 1.0) -> float:
        return 0.0

    def log_prob_each(self, messages: Sequences, observations: Tensor) -> Tensor:
        places, possible = self._fitted(messages)
        if torch.is_grad_enabled():
            return self._each(places, observations).masked_fill(~possible, -torch.inf)
        # listeners hear the same messages in the same states again and again
        first, which = distinct(torch.cat([places, observations.flatten(1)], 1))
        return self._each(places[first], observations[first])[which].masked_fill(~possible, -torch.inf)

    def _each(self, places: Tensor, observations: Tensor) -> Tensor:
        logits = self._logits(places, observations)
        spoken = torch.log_softmax(logits, 2).gather(2, places.clamp(max=self.classes - 1)[..., None]).squeeze(2)
        # the first end counts: its probability is that of stopping there
        counts = torch.arange(self.longest) <= (places != len(self.vocabulary)).sum(1, keepdim=True)
        return (spoken * counts).sum(1)

    @abstractmethod
    def _score(self, places: Tensor, observations: Tensor) -> Tensor:
        """log p(z_k | x_i), (K, n), of sequences (K, longest)."""

    @abstractmethod
    def _logits(self, places: Tensor, observations: Tensor) -> Tensor:
        """Logits of each class at each position, given the places before it: (n, longest, classes)."""

    def _fitted(self, messages: Sequences) -> tuple[Tensor, Tensor]:
        """The places of messages at this speaker's greatest length, and which of them it can say, (n,)."""
        if messages.vocabulary != self.vocabulary:
            raise NeuraleseError("the messages and the speaker have different vocabularies; make both from one batch.")
        end, lengths = len(self.vocabulary), messages.lengths
        missing = max(0, self.longest - messages.longest)
        places = nn.functional.pad(messages.places[:, : self.longest], (0, missing), value=end)
        return places, (lengths <= self.longest) & (self.ends | (lengths == self.longest))


class PositionSpeaker(SymbolSpeaker):
    """Each position has its own distribution given the state, from a perceptron with one hidden layer."""

    kind = "position"

    def __init__(self, states: States, hidden: int, vocabulary: Sequence[int], longest: int, ends: bool) -> None:
        super().__init__(hidden, vocabulary, longest, ends)
        self.logits = nn.Sequential(states.encoder(hidden), nn.Tanh(), nn.Linear(hidden, longest * self.classes))

    def _logits(self, places: Tensor, observations: Tensor) -> Tensor:
        return self.logits(observations).unflatten(1, (self.longest, self.classes))

    def _score(self, places: Tensor, observations: Tensor) -> Tensor:
        spoken = torch.log_softmax(self._logits(places, observations), 2).flatten(1)  # (n, longest * classes)
        # which (position, class) each message says, as a matrix, so that the sum over positions is a product
        said = spoken.new_zeros(len(places), self.longest, self.classes)
        counts = torch.arange(self.longest) <= (places != len(self.vocabulary)).sum(1, keepdim=True)
        said.scatter_(2, places.clamp(max=self.classes - 1)[..., None], counts[..., None].to(said.dtype))
        return said.flatten(1) @ spoken.T


@dataclass(frozen=True)
class Level:
    """The distinct prefixes of one length, each of them one of the shorter `parents` plus one class.

    Those that neither end nor have the greatest length continue: they are the parents of the next level, in order.
    """

    examples: Tensor  # (parents,) a sequence that begins with it
    parents: Tensor  # (prefixes,) which of the parents it extends, in ascending order
    classes: Tensor  # (prefixes,) with which place in the vocabulary, or the end
    goes_on: Tensor  # the prefixes that go on
    rows: Tensor  # the sequences completed at this level
    leaves: Tensor  # and which prefix each of them is


def prefix_tree(places: Tensor, end: int) -> list[Level]:
    """The prefixes of sequences (K, longest) that hold the class `end` after their last symbol, shortest first."""
    grid, levels = places.numpy(), []
    rows, prefix = np.arange(len(grid)), np.zeros(len(grid), dtype=np.int64)
    for step in range(grid.shape[1]):
        if not len(rows):
            break
        examples = rows[np.unique(prefix, return_index=True)[1]]
        codes, edge = np.unique(prefix * (end + 1) + grid[rows, step], return_inverse=True)
        parents, classes = np.divmod(codes, end + 1)
        alive = (classes != end) & (step + 1 < grid.shape[1])
        complete = ~alive[edge]
        arrays = (examples, parents, classes, np.flatnonzero(alive), rows[complete], edge[complete])
        levels.append(Level(*map(torch.from_numpy, arrays)))
        prefix, rows = (np.cumsum(alive) - 1)[edge[~complete]], rows[~complete]
    return levels


class AutoregressiveSpeaker(SymbolSpeaker):
    """The next symbol depends on the state and on everything said before, which a GRU reads.

    The GRU does not see the state. Its output scales the units of a perceptron that does, from which the next symbol
    follows, so the logits are bilinear in what was said and what is seen. A GRU that starts from the state fits about
    as well, but would have to be advanced in every state; this one is advanced once, and the rest is a matrix product.
    """

    kind = "autoregressive"

    def __init__(self, states: States, hidden: int, vocabulary: Sequence[int], longest: int, ends: bool) -> None:
        super().__init__(hidden, vocabulary, longest, ends)
        self.seen = nn.Sequential(states.encoder(hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.heard = nn.Embedding(len(vocabulary) + 1, MEMORY)  # the last one is the start
        self.memory = nn.GRU(MEMORY, MEMORY, batch_first=True)
        self.scale, self.shift = nn.Linear(MEMORY, hidden), nn.Linear(MEMORY, self.classes)
        self.said = nn.Linear(hidden, self.classes, bias=False)

    def _remember(self, places: Tensor) -> Tensor:
        """The GRU's output for everything before each position: (K, longest, MEMORY)."""
        before = nn.functional.pad(places[:, :-1], (1, 0), value=len(self.vocabulary))
        return self.memory(self.heard(before))[0]

    def _logits(self, places: Tensor, observations: Tensor) -> Tensor:
        first, which = distinct(places)  # agents repeat themselves, and the GRU is slow
        memory = self._remember(places[first])
        return self.said(self.scale(memory)[which] * self.seen(observations)[:, None]) + self.shift(memory)[which]

    def _score(self, places: Tensor, observations: Tensor) -> Tensor:
        memory, levels = self._remember(places), prefix_tree(places, len(self.vocabulary))
        seen, scores = self.seen(observations).T.contiguous(), memory.new_empty(len(places), len(observations))
        for start in range(0, len(observations), STATES):
            states = slice(start, start + STATES)
            total = seen.new_zeros(1, seen[:, states].shape[1])
            for step, level in enumerate(levels):
                total = self._extend(level, memory[level.examples, step], total, seen[:, states])
                scores[level.rows, states] = total[level.leaves]
                total = total[level.goes_on]
        return scores

    def _extend(self, level: Level, memory: Tensor, total: Tensor, seen: Tensor) -> Tensor:
        """log p(prefix | x), (prefixes, states), of a level, from the `total` (parents, states) of their parents."""
        scale, shift, parts = self.scale(memory), self.shift(memory), []
        chosen = level.classes.clamp(max=self.classes - 1)
        block = max(1, BLOCK // (self.classes * seen.shape[1]))
        for start in range(0, len(memory), block):
            stop = min(start + block, len(memory))
            # every parent has its own weights, all multiplied by what is seen at once
            weights = scale[start:stop, None] * self.said.weight
            logits = (weights.flatten(0, 1) @ seen).unflatten(0, weights.shape[:2]) + shift[start:stop, :, None]
            first, last = torch.searchsorted(level.parents, torch.tensor([start, stop])).tolist()
            parents = level.parents[first:last] - start
            before = total[start:stop] - logits.logsumexp(1)
            parts.append(before[parents] + logits.flatten(0, 1)[parents * self.classes + chosen[first:last]])
        return torch.cat(parts)
