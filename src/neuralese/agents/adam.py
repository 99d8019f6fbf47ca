"""Adam, bit for bit as in `torch.optim.Adam` and `AdamW` with `fused=True`.

Their first step imports torch's compiler, which takes seconds and is not used.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

MOMENTUM, SQUARES, LEAST = 0.9, 0.999, 1e-8


class FusedAdam:
    """Minimise by the gradients of `parameters`; with `weight_decay`, as AdamW does."""

    def __init__(self, parameters: Iterable[Tensor], learning_rate: float, weight_decay: float | None = None) -> None:
        self.parameters, self.learning_rate, self.weight_decay = list(parameters), learning_rate, weight_decay
        self.means = [torch.zeros_like(each) for each in self.parameters]
        self.squares = [torch.zeros_like(each) for each in self.parameters]
        self.steps = [torch.tensor(0.0) for _ in self.parameters]

    def forget(self) -> None:
        """Clear the gradients."""
        for each in self.parameters:
            each.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Take a step along the available gradients."""
        known = zip(self.parameters, self.means, self.squares, self.steps, strict=True)
        parameters, means, squares, steps = zip(*(each for each in known if each[0].grad is not None), strict=True)
        torch._foreach_add_(steps, 1)
        update = torch._fused_adam_ if self.weight_decay is None else torch._fused_adamw_
        update(
            parameters,
            [each.grad for each in parameters],
            means,
            squares,
            [],
            steps,
            lr=self.learning_rate,
            beta1=MOMENTUM,
            beta2=SQUARES,
            weight_decay=self.weight_decay or 0.0,
            eps=LEAST,
            amsgrad=False,
            maximize=False,
        )

    def state(self) -> dict[str, list[Tensor]]:
        """Everything the next step depends on besides the parameters and the learning rate."""
        return {"means": self.means, "squares": self.squares, "steps": self.steps}

    def restore(self, state: dict[str, list[Tensor]]) -> None:
        """Resume from what `state` returned."""
        self.means, self.squares, self.steps = state["means"], state["squares"], state["steps"]
