"""Adam, bit for bit as in `torch.optim.Adam`, whose first step spends seconds importing a compiler."""

import math
from collections.abc import Iterable

import torch
from torch import Tensor

MOMENTUM, SQUARES, LEAST = 0.9, 0.999, 1e-8


class Adam:
    """Minimise by the gradients of `parameters`."""

    def __init__(self, parameters: Iterable[Tensor], learning_rate: float) -> None:
        self.parameters, self.learning_rate, self.steps = list(parameters), learning_rate, 0
        self.means = [torch.zeros_like(each) for each in self.parameters]
        self.squares = [torch.zeros_like(each) for each in self.parameters]

    def forget(self) -> None:
        """Clear the gradients."""
        for each in self.parameters:
            each.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Take a step along the available gradients."""
        self.steps += 1
        size = self.learning_rate / (1 - MOMENTUM**self.steps)
        root = math.sqrt(1 - SQUARES**self.steps)
        for each, mean, square in zip(self.parameters, self.means, self.squares, strict=True):
            if each.grad is not None:
                mean.lerp_(each.grad, 1 - MOMENTUM)
                square.mul_(SQUARES).addcmul_(each.grad, each.grad, value=1 - SQUARES)
                each.addcdiv_(mean, (square.sqrt() / root).add_(LEAST), value=-size)


def cosine(step: int, steps: int) -> float:
    """The factor of the learning rate after `step` of `steps`: a cosine from 1 to 0."""
    return (1 + math.cos(math.pi * step / steps)) / (1 + math.cos(math.pi * (step - 1) / steps))
