"""p(z | x) of agents whose messages are vectors, with unknown channel noise, which has to be fitted.

    fitted = fit_gaussian(game.encoder, (observations, messages), held_out, config, generator)
    fitted.speaker.log_prob(messages, observations)      # (K, n)

Like `RobotSpeaker` except for the noise: the same in all directions, or one number per entry of a message, whichever
makes held-out messages likelier.
"""

import math
from functools import partial

import torch
from torch import Tensor, nn

from neuralese.speakers.best import Fitted, MakeEncoder, fit_best
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.gaussian import log_density, log_peak

LEAST = 1e-3  # noise is at least this fraction of the messages' spread: agents may have none, but models have errors


class GaussianSpeaker(nn.Module):
    """Gaussian around a perceptron's output, with noise that is fitted or given (as a standard deviation).

    With `diagonal` noise each entry of a message has its own, otherwise all have the same.
    """

    kind = "gaussian"

    def __init__(
        self, encoder: MakeEncoder, hidden: int, message: int, diagonal: bool = False, noise: float | None = None
    ) -> None:
        super().__init__()
        self.settings = {"hidden": hidden, "message": message, "diagonal": diagonal, "noise": noise}
        self.diagonal, self.given = diagonal, noise
        self.net = nn.Sequential(encoder(hidden), nn.Tanh(), nn.Linear(hidden, message))
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
    def scale(self) -> float:
        """The noise as one number, as in `RobotSpeaker`: its root mean square."""
        return math.sqrt(float(self.noise.detach().square().mean()))

    @property
    def width(self) -> float:
        """See `models.Speaker`."""
        return self.scale

    @torch.no_grad()
    def fits(self, messages: Tensor, observations: Tensor) -> Tensor:
        """See `models.Speaker`."""
        return self.log_prob_each(messages, observations)

    def log_prob(self, messages: Tensor, observations: Tensor, widen: float = 1.0) -> Tensor:
        """log p(z_k | x_i), (K, n), of messages (K, message) in observations (n, ...), with `widen` times the noise."""
        # relative to the center, because squares of large numbers lose precision
        points, means = messages - self.center, self.spread * self.net(observations)
        if not self.diagonal:
            return log_density(points, means, widen * self.scale)
        noise = self.noise
        return log_density(points / noise, means / noise, widen) - noise.log().sum()

    def log_peak(self, widen: float = 1.0) -> float:
        """See `models.Speaker`."""
        size = len(self.center)
        return log_peak(size, widen) - float(self.noise.expand(size).log().sum())

    def log_prob_each(self, messages: Tensor, observations: Tensor) -> Tensor:
        """log p(z_i | x_i), (n,), of one message in each observation (n, ...); also differentiable in the noise."""
        noise = self.noise.expand(messages.shape[1])
        off = ((messages - self.mean(observations)) / noise).square().sum(1)
        return -off / 2 - noise.log().sum() - messages.shape[1] * math.log(2 * math.pi) / 2


def fit_gaussian(
    encoder: MakeEncoder,
    said: tuple[Tensor, Tensor],
    held_out: tuple[Tensor, Tensor],
    config: FitConfig,
    generator: torch.Generator,
    noise: float | None = None,
) -> Fitted:
    """Fit p(z | x) to (observations, messages) and keep the kind of noise under which held-out messages are likelier.

    Mean and noise are learned together by likelihood. Where the noise is given, there is nothing to choose.
    """
    messages = said[1]

    def make(diagonal: bool) -> GaussianSpeaker:
        speaker = GaussianSpeaker(encoder, config.hidden, messages.shape[1], diagonal, noise)
        speaker.standardise(messages)
        return speaker

    kinds = {"isotropic": partial(make, False), "diagonal": partial(make, True)}
    if noise is not None or messages.shape[1] == 1:
        kinds.pop("diagonal")
    return fit_best(kinds, said, held_out, config, generator)
