"""A language is a list of messages together with the speaker who says them: log p(z_k | x) for every message."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from neuralese.agents.sequences import Messages, Sequences
from neuralese.games.states import States
from neuralese.speakers.models import HumanSpeaker
from neuralese.translate.reading import Listed, Reading


@dataclass(frozen=True)
class Neuralese(Listed):
    """Messages of a robot: vectors (K, message), or K sequences of symbols."""

    game: States
    speaker: Any  # a `Speaker`, of vectors or of symbols
    messages: Messages
    ids: Tensor
    scale: float = 1.0  # width of p(z | x) as a multiple of the channel's noise

    def __len__(self) -> int:
        return len(self.messages)

    def read(self, reading: Reading) -> "Neuralese":
        """See `Language`."""
        return replace(self, scale=reading.width(self.speaker.width) / self.speaker.width)

    @property
    def log_peak(self) -> float:  # type: ignore[override]  # derived here
        """See `Language`."""
        return self.speaker.log_peak(self.scale)

    @property
    def spells(self) -> bool:
        """Whether messages are symbols rather than vectors."""
        return isinstance(self.messages, Sequences)

    def texts(self) -> list[str]:
        """Symbols are written out; vectors have no words, so their number in `messages.parquet` is used."""
        if self.spells:
            return self.messages.texts()
        return [f"message {number}" for number in self.ids.tolist()]

    @torch.no_grad()
    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """See `Language`."""
        views = self.game.speaker_view(candidates.flatten(0, 1))
        return self.speaker.log_prob(self.messages, views, self.scale).double().unflatten(1, candidates.shape[:2])


@dataclass(frozen=True)
class English(Listed):
    """Phrases of the inventory, by default all of them."""

    game: States
    speaker: HumanSpeaker
    phrases: list[str]  # the whole inventory, in its order
    chosen: tuple[int, ...] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def ids(self) -> Tensor:
        """Phrases are numbered in the inventory's order."""
        return torch.arange(len(self.phrases)) if self.chosen is None else torch.tensor(self.chosen)

    def texts(self) -> list[str]:
        """The phrases themselves."""
        return [self.phrases[number] or SILENCE for number in self.ids.tolist()]

    def spoken(self) -> "English":
        """All phrases but silence: what may translate a message."""
        return replace(self, chosen=tuple(number for number in self.ids.tolist() if self.phrases[number]))

    def read(self, reading: Reading) -> "English":
        """Single phrases are always read the same way."""
        return self

    @torch.no_grad()
    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """See `Language`."""
        views = self.game.human_view(candidates.flatten(0, 1))
        return self.speaker.log_prob(views)[self.ids].double().unflatten(1, candidates.shape[:2])


SILENCE = "(silence)"


@dataclass(frozen=True)
class Composed(Listed):
    """Bags of phrases: p(bag | x) is the product over its phrases, or their geometric mean. Bag k has the id k."""

    english: English
    parts: tuple[tuple[int, ...], ...]  # phrase ids of each bag
    join: str = "product"

    def __len__(self) -> int:
        return len(self.parts)

    @property
    def ids(self) -> Tensor:
        """Bags are numbered in their order."""
        return torch.arange(len(self.parts))

    def texts(self) -> list[str]:
        """The phrases of a bag, one after another."""
        return [", ".join(self.english.phrases[number] for number in part) or SILENCE for part in self.parts]

    def read(self, reading: Reading) -> "Composed":
        """See `Language`."""
        return replace(self, join=reading.join)

    @cached_property
    def bags(self) -> Tensor:
        """Which phrases each bag holds, (bags, phrases)."""
        bags = torch.zeros(len(self.parts), len(self.english.phrases))
        rows = [row for row, part in enumerate(self.parts) for _ in part]
        bags[rows, [number for part in self.parts for number in part]] = 1
        return bags

    @torch.no_grad()
    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """See `Language`."""
        views = self.english.game.human_view(candidates.flatten(0, 1))
        log_prob = self.english.speaker.log_prob(views).double().clamp(min=-1e4)  # an impossible phrase, times zero
        bags = self.bags.double()
        if self.join == "mean":
            bags /= bags.sum(1, keepdim=True)
        return (bags @ log_prob).unflatten(1, candidates.shape[:2])
