"""What the messages of both languages mean in the contexts of a dictionary, as a table.

A criterion knows a message only by its likelihood in the candidates of the contexts. This table has, for each of them,
the message that the robot says there on average and log p of every phrase. So any message, and any phrases said
together, can be scored without the models that made it (see `few.py`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from neuralese.tables import matrix, numbers, read_about, read_table, vectors, write_table

if TYPE_CHECKING:  # reading the table must not take as long as importing torch
    from torch import Tensor

    from neuralese.translate.languages import English, Neuralese


def write_meanings(path: str | Path, english: "English", neuralese: "Neuralese", candidates: "Tensor") -> None:
    """Write what is said in the candidates (n, s, ...) of each context, the true state first."""
    contexts, states = candidates.shape[:2]
    views = neuralese.game.speaker_view(candidates.flatten(0, 1))
    log_phrases = english.log_likelihood(candidates).float().flatten(1).T
    table = pa.table(
        {
            "context_id": np.repeat(np.arange(contexts, dtype=np.int32), states),
            "candidate": np.tile(np.arange(states, dtype=np.int32), contexts),
            "message": vectors(neuralese.speaker.mean(views).detach().numpy()),
            "log_phrases": vectors(log_phrases.numpy()),
        }
    )
    write_table(path, table, "meanings", about={"noise": neuralese.speaker.scale})


@dataclass(frozen=True)
class Meanings:
    """What is said in the candidates of each context; likelihoods are (K, s, n) of K messages."""

    message: np.ndarray  # (s, n, message) that the robot says on average
    log_phrases: np.ndarray  # (phrases, s, n)
    noise: float  # standard deviation of the robot's messages around that

    def of_messages(self, messages: np.ndarray, settings: Mapping[str, object]) -> np.ndarray:
        """log p(z_k | x_is) of messages (K, message), as wide as the criterion with these settings takes it to be."""
        means, variance = self.message.reshape(-1, self.message.shape[-1]), settings.get("variance")
        width = settings.get("scale", 1.0) * self.noise if variance is None else math.sqrt(variance)
        distance = np.square(messages).sum(1)[:, None] - 2 * messages @ means.T + np.square(means).sum(1)
        constant = messages.shape[1] * math.log(width * math.sqrt(2 * math.pi))
        log_prob = -distance.clip(min=0) / (2 * width**2) - constant  # in single precision, as the speaker has it
        return log_prob.reshape(-1, *self.message.shape[:2])

    def of_phrases(self, bags: Sequence[Sequence[int]], settings: Mapping[str, object]) -> np.ndarray:
        """log p(z_k | x_is) of phrases said together, each bag given by its phrases' ids (see `Composed`)."""
        parts = [self.log_phrases[list(bag)].astype(np.float64) for bag in bags]
        return np.stack([part.mean(0) if settings.get("join") == "mean" else part.sum(0) for part in parts])

    def first(self, contexts: int) -> "Meanings":
        """The same in the first contexts alone."""
        return Meanings(self.message[:, :contexts], self.log_phrases[:, :, :contexts], self.noise)


def read_meanings(path: str | Path) -> Meanings:
    """Read what `write_meanings` wrote."""
    table = read_table(path, "meanings", check_every_value=False)  # it is read to answer at once
    states = int(numbers(table["candidate"]).max()) + 1
    message, log_phrases = (
        matrix(table[name]).reshape(-1, states, table[name].type.list_size) for name in ("message", "log_phrases")
    )
    return Meanings(
        np.ascontiguousarray(message.transpose(1, 0, 2)),
        np.ascontiguousarray(log_phrases.transpose(2, 1, 0)),
        read_about(path)["noise"],
    )
