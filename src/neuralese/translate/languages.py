"""A language is a list of messages together with the speaker who says them: log p(z_k | x) for every message."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from neuralese.agents.messages import Messages
from neuralese.games.states import States
from neuralese.speakers.models import HumanSpeaker
from neuralese.storage.tables import read_table
from neuralese.translate.criteria import Reading

SILENCE = "(silence)"
IMPOSSIBLE = -1e4  # log p of a phrase is raised to this where it is impossible, so that zero times it is zero

Parts = tuple[tuple[int, ...], ...]  # the phrases of each utterance, by utterance id


class Language(Protocol):
    """Messages with the speaker who says them."""

    ids: Tensor  # (K,) of its messages

    def __len__(self) -> int:
        """The number of its messages, K."""

    @property
    def log_peak(self) -> float:
        """The greatest log-likelihood a message can have; not 0 for densities of vectors."""
        return 0.0

    def texts(self) -> list[str]:
        """The names of its messages."""

    def read(self, reading: Reading) -> "Language":
        """The same messages with their likelihoods read in this way."""

    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """log p(z_k | x_is), (K, n, s), for candidates (n, s, ...), each independently."""

    def heard(self, words: Tensor) -> Tensor:
        """What the model human hears for each message of English, (K, words), given `words` (phrases, words).

        `words` is what it hears for each phrase of the inventory.
        """
        raise TypeError(f"the model human does not hear {type(self).__name__}.")


@dataclass(frozen=True)
class Neuralese(Language):
    """Messages of a robot: vectors (K, message), or K sequences of symbols."""

    game: States
    speaker: Any  # a `Speaker` of vectors or of symbols
    messages: Messages
    ids: Tensor
    scale: float = 1.0  # width of p(z | x) as a multiple of the channel's noise

    def __len__(self) -> int:
        return len(self.messages)

    def read(self, reading: Reading) -> "Neuralese":
        return replace(self, scale=reading.width(self.speaker.width) / self.speaker.width)

    @property
    def log_peak(self) -> float:
        return self.speaker.log_peak(self.scale)

    @property
    def spells(self) -> bool:
        """Whether messages are symbols rather than vectors."""
        return not isinstance(self.messages, Tensor)

    def texts(self) -> list[str]:
        """Symbols are written out; vectors have no words, so their number in `messages.parquet` is used."""
        if self.spells:
            return self.messages.texts()
        return [f"message {number}" for number in self.ids.tolist()]

    @torch.no_grad()
    def log_likelihood(self, candidates: Tensor) -> Tensor:
        views = self.game.speaker_view(candidates.flatten(0, 1))
        return self.speaker.log_prob(self.messages, views, self.scale).double().unflatten(1, candidates.shape[:2])


@dataclass(frozen=True)
class English(Language):
    """Phrases of the inventory, by default all of them. Single phrases are always read the same way."""

    game: States
    speaker: HumanSpeaker
    phrases: list[str]  # the whole inventory, in its order
    chosen: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ids(self) -> Tensor:  # type: ignore[override]  # derived here
        """Phrases are numbered in the inventory's order."""
        return torch.arange(len(self.phrases)) if self.chosen is None else torch.tensor(self.chosen)

    def texts(self) -> list[str]:
        return [self.phrases[number] or SILENCE for number in self.ids.tolist()]

    def spoken(self) -> "English":
        """All phrases but silence: what may translate a message."""
        return replace(self, chosen=tuple(number for number in self.ids.tolist() if self.phrases[number]))

    def read(self, reading: Reading) -> "English":
        return self

    def heard(self, words: Tensor) -> Tensor:
        return words[self.ids]

    @torch.no_grad()
    def log_likelihood(self, candidates: Tensor) -> Tensor:
        views = self.game.human_view(candidates.flatten(0, 1))
        return self.speaker.log_prob(views)[self.ids].double().unflatten(1, candidates.shape[:2])


@dataclass(frozen=True)
class Composed(Language):
    """Bags of phrases: p(bag | x) is the product over its phrases, or their geometric mean. Bag k has the id k."""

    english: English
    parts: Parts
    join: str = "product"

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def ids(self) -> Tensor:  # type: ignore[override]  # derived here
        return torch.arange(len(self.parts))

    def texts(self) -> list[str]:
        """The phrases of a bag, one after another."""
        return [", ".join(self.english.phrases[number] for number in part) or SILENCE for part in self.parts]

    def read(self, reading: Reading) -> "Composed":
        return replace(self, join=reading.join)

    def heard(self, words: Tensor) -> Tensor:
        return self.bags @ words

    @cached_property
    def bags(self) -> Tensor:
        """Which phrases each bag holds, (bags, phrases)."""
        bags = torch.zeros(len(self.parts), len(self.english.phrases))
        rows = [row for row, part in enumerate(self.parts) for _ in part]
        bags[rows, [number for part in self.parts for number in part]] = 1
        return bags

    @torch.no_grad()
    def log_likelihood(self, candidates: Tensor) -> Tensor:
        views = self.english.game.human_view(candidates.flatten(0, 1))
        log_prob = self.english.speaker.log_prob(views).double().clamp(min=IMPOSSIBLE)
        bags = self.bags.double()
        if self.join == "mean":
            bags /= bags.sum(1, keepdim=True)
        return (bags @ log_prob).unflatten(1, candidates.shape[:2])


def load_parts(path: str | Path) -> Parts:
    """The phrases of each utterance of `utterances.parquet`."""
    return tuple(tuple(parts) for parts in read_table(path, "utterances")["parts"].to_pylist())


def utterance_ids(said: Tensor, parts: Parts) -> Tensor:
    """The utterances (n,) that consist of exactly the phrases `said` (n, phrases)."""
    known = {each: number for number, each in enumerate(parts)}
    numbers, ends = torch.nonzero(said)[:, 1].tolist(), torch.count_nonzero(said, dim=1).cumsum(0).tolist()
    return torch.tensor([known[tuple(numbers[start:end])] for start, end in pairwise([0, *ends])])
