"""Fit several models of p(z | x) to the same messages, and keep the one under which held-out messages are likelier."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from neuralese.randomness import seeded
from neuralese.speakers.fitting import FitConfig, fit

HELD_OUT = 10_000  # maximum number of held-out messages used
SMALLEST = 64  # minimum number of messages in a minibatch
PATIENCE = 250  # minimum number of minibatches without improvement after which fitting stops
MakeEncoder = Callable[[int], nn.Module]  # given a width: a fresh module from observations (n, ...) to (n, width)


class Speaker(Protocol):
    """A model of p(z | x), which is an `nn.Module`. Messages are anything that has a length and can be indexed."""

    settings: dict  # its arguments, except for the encoder

    def log_prob(self, messages: Any, observations: Tensor, widen: float = 1.0) -> Tensor:
        """log p(z_k | x_i), (K, n), of each message in each of the observations (n, ...)."""

    def log_prob_each(self, messages: Any, observations: Tensor) -> Tensor:
        """log p(z_i | x_i), (n,), of one message in each of the observations (n, ...); differentiable."""


@dataclass(frozen=True)
class Fitted:
    """The best speaker, and the held-out loss of every model fitted, in nats per message."""

    speaker: Any  # an `nn.Module` that is a `Speaker`
    losses: dict[str, float]


def suited(config: FitConfig, messages: int) -> FitConfig:
    """A config for a given number of messages: smaller batches and more frequent checks if they are few.

    A thousand messages are overfitted long before the first check of a config made for a game's thousands
    of states.
    """
    batch = min(config.batch, max(SMALLEST, messages // 8))
    every = min(config.check_every, max(10, 2 * messages // batch))
    patience = max(config.patience, PATIENCE // every) if config.patience else 0
    return config.model_copy(update={"batch": batch, "check_every": every, "patience": patience})


def fit_best(
    kinds: Mapping[str, Callable[[], nn.Module]],
    said: tuple[Tensor, Any],
    held_out: tuple[Tensor, Any],
    config: FitConfig,
    generator: torch.Generator,
) -> Fitted:
    """Make and fit a speaker of each kind to (observations, messages), by likelihood."""
    observations, messages = said
    config = suited(config, len(messages))
    look = torch.randperm(len(held_out[1]), generator=generator)[:HELD_OUT]
    seen, heard = held_out[0][look], held_out[1][look]
    speakers: dict[str, Any] = {}
    losses: dict[str, float] = {}
    for kind, make in kinds.items():
        speaker = speakers[kind] = seeded(make, generator)

        def loss(batch: int, speaker: Any = speaker) -> Tensor:
            chosen = torch.randint(len(messages), (batch,), generator=generator)
            return -speaker.log_prob_each(messages[chosen], observations[chosen]).mean()

        def look_at(speaker: Any = speaker) -> float:
            return -float(speaker.log_prob_each(heard, seen).mean())

        losses[kind] = fit(speaker, loss, look_at, config, f"{kind} speaker")
    return Fitted(speakers[min(losses, key=losses.__getitem__)].eval(), losses)
