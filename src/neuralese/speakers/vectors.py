"""p(z | x) of agents whose messages are vectors: an isotropic Gaussian whose noise is known, or one that is fitted."""

import copy
import math

import torch
from torch import Tensor, nn

from neuralese.games.states import States

LEAST = 1e-3  # noise is at least this fraction of the messages' spread: agents may have none, but models have errors


class RobotSpeaker(nn.Module):
    """p(z | x) of a learned agent: Gaussian around a perceptron's output, with the scale of the channel's noise."""

    def __init__(self, game: States, hidden: int, message: int, scale: float) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "message": message, "scale": scale}
        self.mean = nn.Sequential(game.encoder(hidden), nn.Tanh(), nn.Linear(hidden, message))
        self.width = scale

    def log_prob(self, messages: Tensor, observations: Tensor, widen: float = 1.0) -> Tensor:
        return log_density(messages, self.mean(observations), widen * self.width)

    def log_peak(self, widen: float = 1.0) -> float:
        return log_peak(int(self.settings["message"]), widen * self.width)

    def log_prob_each(self, messages: Tensor, observations: Tensor) -> Tensor:
        return -(messages - self.mean(observations)).square().sum(1) / (2 * self.width**2)


class GaussianSpeaker(nn.Module):
    """Gaussian around a perceptron's output, with noise that is fitted or given (as a standard deviation).

    With `diagonal` noise each entry of a message has its own, otherwise all have the same.
    """

    kind = "gaussian"

    def __init__(
        self, states: States, hidden: int, message: int, diagonal: bool = False, noise: float | None = None
    ) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "message": message, "diagonal": diagonal, "noise": noise}
        self.diagonal, self.given = diagonal, noise
        self.net = nn.Sequential(states.encoder(hidden), nn.Tanh(), nn.Linear(hidden, message))
        # messages come in any unit, which the perceptron's output adopts
        self.register_buffer("center", torch.zeros(message))
        self.register_buffer("spread", torch.ones(message))
        self.log_noise = nn.Parameter(torch.zeros(message if diagonal else 1), requires_grad=noise is None)

    def standardise(self, messages: Tensor) -> None:
        """Set mean and spread of the perceptron's output, and the initial noise, from messages (n, message)."""
        self.center, deviation = messages.mean(0), messages.std(0, unbiased=False)
        overall = deviation.square().mean().sqrt()
        overall = overall if overall > 0 else torch.ones(())
        self.spread = torch.where(deviation > LEAST * overall, deviation, LEAST * overall)
        with torch.no_grad():
            self.log_noise.copy_((self.spread if self.diagonal else overall).log())

    def mean(self, observations: Tensor) -> Tensor:
        """The mean of messages in observations (n, ...): (n, message)."""
        return self.center + self.spread * self.net(observations)

    @property
    def noise(self) -> Tensor:
        """The standard deviation of each entry of a message, (message,), or of all of them, (1,)."""
        if self.given is not None:
            return torch.full_like(self.log_noise, self.given)
        # added rather than clamped, so that noise that is too small still has a gradient
        return (self.log_noise.mul(2).exp() + LEAST**2 * self.spread.square().mean()).sqrt()

    @property
    def width(self) -> float:
        """The noise as one number: its root mean square."""
        return math.sqrt(float(self.noise.detach().square().mean()))

    def log_prob(self, messages: Tensor, observations: Tensor, widen: float = 1.0) -> Tensor:
        # relative to the center, because squares of large numbers lose precision
        points, means = messages - self.center, self.spread * self.net(observations)
        if not self.diagonal:
            return log_density(points, means, widen * self.width)
        noise = self.noise
        return log_density(points / noise, means / noise, widen) - noise.log().sum()

    def log_peak(self, widen: float = 1.0) -> float:
        size = len(self.center)
        return log_peak(size, widen) - float(self.noise.detach().expand(size).log().sum())

    def log_prob_each(self, messages: Tensor, observations: Tensor) -> Tensor:
        noise = self.noise.expand(messages.shape[1])
        off = ((messages - self.mean(observations)) / noise).square().sum(1)
        return -off / 2 - noise.log().sum() - messages.shape[1] * math.log(2 * math.pi) / 2

    def squares(self, observations: Tensor, means: Tensor, share: Tensor, around: Tensor) -> Tensor:
        """The mean square by which each entry of messages is off, (message,).

        In observations (k, ...), whose share of all messages is (k,), they have `means` (k, message); the mean square
        by which they differ from those is `around` (message,).
        """
        return share @ (means - self.mean(observations)).square() + around

    def loss(self, squares: Tensor) -> Tensor:
        """Nats per message if each entry is off by `squares` (message,) on average."""
        noise = self.noise.expand(len(squares))
        return (squares / noise.square()).sum() / 2 + noise.log().sum() + len(squares) * math.log(2 * math.pi) / 2

    def recalibrated(self, squares: Tensor, diagonal: bool) -> "GaussianSpeaker":
        """The same means with the noise that explains `squares` (message,).

        Diagonal noise is scaled by one factor; other noise is the root mean square.
        """
        other = copy.deepcopy(self)
        other.settings["diagonal"] = other.diagonal = diagonal
        noise = self.noise.detach()
        variance = noise.square() * (squares / noise.square()).mean() if diagonal else squares.mean(0, keepdim=True)
        other.log_noise = nn.Parameter(variance.clamp(min=torch.finfo(variance.dtype).tiny).log() / 2)
        return other


def log_density(points: Tensor, means: Tensor, width: float) -> Tensor:
    """log N(z_k; m_i, width^2), (K, n), of points (K, d) around means (n, d)."""
    # |z - m|^2 expanded, so that the work is one matrix product
    distance = (-2 * points) @ means.T
    distance += points.square().sum(1)[:, None]
    distance += means.square().sum(1)
    distance = distance.clamp_(min=0)
    distance /= -2 * width**2
    distance += log_peak(points.shape[1], width)
    return distance


def log_peak(size: int, width: float) -> float:
    """The log density of an isotropic Gaussian of `size` dimensions at its mean."""
    return -size * math.log(width * math.sqrt(2 * math.pi))
