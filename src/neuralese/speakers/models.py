"""Models of who says what: p(z | x) of robot and human speakers, and the model human listener (Appendix B.2).

All see the world through the game's own encoder and have one hidden layer of tanh units. Robots whose messages are
vectors are in `vectors.py`, those that speak in symbols in `symbols.py`.
"""

from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from neuralese.agents.messages import Messages
from neuralese.games.states import States
from neuralese.speakers.symbols import AutoregressiveSpeaker, PositionSpeaker
from neuralese.speakers.vectors import GaussianSpeaker, RobotSpeaker
from neuralese.storage.weights import read_weights, save_weights


class Speaker(Protocol):
    """p(z | x) of agents, whatever kind of messages they send."""

    settings: dict[str, Any]  # its arguments, except for the states
    width: float  # the standard deviation of vectors around their mean; 1 for symbols

    def log_prob(self, messages: Messages, observations: Tensor, widen: float = 1.0) -> Tensor:
        """log p(z_k | x_i), (K, n), of K messages in observations (n, ...), taken `widen` times as wide."""

    def log_peak(self, widen: float = 1.0) -> float:
        """The greatest log density a vector can have, taken `widen` times as wide; 0 for symbols."""

    def log_prob_each(self, messages: Messages, observations: Tensor) -> Tensor:
        """log p(z_i | x_i), (n,), of n messages in as many observations, up to a constant for each message.

        Differentiable in the weights.
        """


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
        self.silent: Any = None
        if silence is not None:
            self.silent = nn.Sequential(game.encoder(hidden), nn.Tanh(), nn.Linear(hidden, 1))

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
    """The model human H*: a bag of words describes a state as well as its words do together.

    It holds several networks, fitted from different initial weights to different messages: what one of them makes of
    rare words is partly chance.
    """

    def __init__(self, game: States, hidden: int, words: int, networks: int = 3) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "words": words, "networks": networks}
        made = (nn.Sequential(game.encoder(hidden), nn.Tanh(), nn.Linear(hidden, words)) for _ in range(networks))
        self.networks = nn.ModuleList(made)

    def fits(self, observations: Tensor) -> Tensor:
        """How well each word describes observations (n, ...), by each network: (networks, n, words)."""
        return torch.stack([network(observations) for network in self.networks])


# speakers of languages that users bring: a file says which of them it holds
KINDS: dict[str, Any] = {each.kind: each for each in (PositionSpeaker, AutoregressiveSpeaker, GaussianSpeaker)}


def save_model(path: str | Path, model: Any) -> None:
    """Write any of these models and its settings."""
    kind = {"kind": model.kind} if hasattr(model, "kind") else {}
    save_weights(path, model, {**kind, **model.settings})


def load_model(path: str | Path, model: Any, states: States) -> Any:
    """Read a model of the given class."""
    weights, settings = read_weights(path)
    settings.pop("kind", None)
    made = model(states, **settings)
    made.load_state_dict(weights)
    return made.eval()


def load_robot(path: str | Path, states: States) -> Any:
    """Read p(z | x) of an agent, a `Speaker` of the kind that the file holds."""
    return load_model(path, KINDS.get(read_weights(path)[1].get("kind", ""), RobotSpeaker), states)
