"""Models of who says what: p(z | x) of robot and human speakers, and the model human listener (Appendix B.2).

All three see the world through the game's own encoder and have one hidden layer of tanh units.
"""

from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from torch import Tensor, nn

from neuralese.agents.sequences import Messages
from neuralese.games.states import States
from neuralese.speakers.gaussian import log_density, log_peak
from neuralese.storage.weights import read_weights, save_weights


def _perceptron(game: States, hidden: int, outputs: int) -> nn.Module:
    return nn.Sequential(game.encoder(hidden), nn.Tanh(), nn.Linear(hidden, outputs))


class Speaker(Protocol):
    """p(z | x) of agents, whatever kind of messages they send."""

    width: float  # the standard deviation of vectors around their mean; 1 for symbols

    def log_prob(self, messages: Messages, observations: Tensor, widen: float = 1.0) -> Tensor:
        """log p(z_k | x_i), (K, n), of K messages in observations (n, ...), taken `widen` times as wide."""

    def log_peak(self, widen: float = 1.0) -> float:
        """The greatest log density a vector can have, taken `widen` times as wide; 0 for symbols."""

    def fits(self, messages: Messages, observations: Tensor) -> Tensor:
        """log p(z_i | x_i) of n messages in as many observations (n, ...), up to a constant for each message: (n,)."""


class RobotSpeaker(nn.Module):
    """p(z | x) of a learned agent: Gaussian around a perceptron's output, with the scale of the channel's noise."""

    def __init__(self, game: States, hidden: int, message: int, scale: float) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "message": message, "scale": scale}
        self.mean = _perceptron(game, hidden, message)
        self.scale = scale

    def log_prob(self, messages: Tensor, observations: Tensor, widen: float = 1.0) -> Tensor:
        """log p(z_k | x_i), (K, n), of messages (K, message) in observations (n, ...), with `widen` times the scale."""
        return log_density(messages, self.mean(observations), widen * self.scale)

    def log_peak(self, widen: float = 1.0) -> float:
        """See `Speaker`."""
        return log_peak(int(self.settings["message"]), widen * self.scale)

    @property
    def width(self) -> float:
        """The noise."""
        return self.scale

    def fits(self, messages: Tensor, observations: Tensor) -> Tensor:
        """See `Speaker`: the nearer a message (n, message) is to the mean, the likelier."""
        return -(messages - self.mean(observations)).square().sum(1) / (2 * self.scale**2)


class PhraseLogits(nn.Module):
    """A perceptron's score for every phrase; with `heard` (phrases, words), phrases share the scores of their words."""

    def __init__(self, game: States, hidden: int, heard: Tensor) -> None:
        super().__init__()
        self.body = nn.Sequential(game.encoder(hidden), nn.Tanh())
        self.phrases = nn.Linear(hidden, heard.shape[0])
        self.words = nn.Linear(hidden, heard.shape[1], bias=False) if heard.shape[1] else None
        self.register_buffer("heard", heard)

    def forward(self, observations: Tensor) -> Tensor:
        """Scores (n, phrases) in observations (n, ...)."""
        hidden = self.body(observations)
        scores = self.phrases(hidden)
        return scores if self.words is None else scores + self.words(hidden) @ self.heard.T


class HumanSpeaker(nn.Module):
    """p(z | x) of humans: categorical over the inventory.

    Where humans may also say nothing, `silence` is the phrase that stands for it. Whether they speak is a separate
    model: silence has p(silent | x), a phrase p(phrase | x, speaks). What makes people talk is not what they say,
    and silence is so frequent that one model of both would learn little else.
    """

    def __init__(
        self,
        game: States,
        hidden: int,
        phrases: int,
        silence: int | None = None,
        words: int = 0,
        heard: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "phrases": phrases, "silence": silence, "words": words}
        self.silence = silence
        self.logits = PhraseLogits(game, hidden, torch.zeros(phrases, words) if heard is None else heard)
        self.silent: Any = None if silence is None else _perceptron(game, hidden, 1)

    def log_prob(self, observations: Tensor) -> Tensor:
        """log p(z_k | x_i), (phrases, n), of every phrase in observations (n, ...)."""
        logits = self.logits(observations)
        if self.silence is None:
            return torch.log_softmax(logits, dim=1).T
        place = torch.tensor([self.silence])
        spoken = torch.log_softmax(logits.index_fill(1, place, -torch.inf), dim=1).T
        silent = nn.functional.logsigmoid(self.silent(observations)).T
        return spoken.index_copy(0, place, silent)


class HumanListener(nn.Module):
    """The model human H*: scores (state, bag of words) pairs, linear in the bag."""

    def __init__(self, game: States, hidden: int, words: int) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "words": words}
        self.fits = _perceptron(game, hidden, words)

    def score(self, observations: Tensor, bags: Tensor) -> Tensor:
        """How well bags (n, words) describe observations (n, ...): (n,)."""
        return (self.fits(observations) * bags).sum(1)


Model = TypeVar("Model", RobotSpeaker, HumanSpeaker, HumanListener)


def save_model(path: str | Path, model: Model) -> None:
    """Write a model and its settings."""
    save_weights(path, model, model.settings)


def load_model(path: str | Path, kind: type[Model], game: States) -> Model:
    """Read a model of the given kind for `game`."""
    weights, settings = read_weights(path)
    model = kind(game, **settings)
    model.load_state_dict(weights)
    return model.eval()
