"""The pragmatic meaning of a message (Section 3 of the paper): what it makes a listener do, p(u | z, x_b).

In a reference game to act is to pick one of the candidates, so actions take the place of beliefs and everything else
of a criterion stays as it is. Robots pick by their Q values, the model human by how well the words fit.

The listeners whose actions are matched are those that judge the belief evaluation. So a pragmatic translation shows
how much a translator could gain that knew its judges; it is not to be compared with those that do not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import guess
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener
from neuralese.translate.criteria import LOG_FLOOR
from neuralese.translate.languages import Language

TEMPERATURE = 0.1  # of a robot's choice between two Q values, which lie between 0 and 1
Respond = Callable[[Tensor], Tensor]  # candidates (n, s, ...) -> log p(u | z_k, x_bi), (K, n, s)


@dataclass(frozen=True)
class Heeded:
    """A language with what its listeners do, in place of what they believe."""

    language: Language
    respond: Respond

    def __len__(self) -> int:
        return len(self.language)

    @property
    def ids(self) -> Tensor:
        """Those of the language."""
        return self.language.ids

    def texts(self) -> list[str]:
        """Those of the language."""
        return self.language.texts()

    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """That of the language."""
        return self.language.log_likelihood(candidates)

    def log_beliefs(self, candidates: Tensor) -> Tensor:
        """The logarithm of the listener's choice, (K, n, s)."""
        return self.respond(candidates).double().clamp(min=LOG_FLOOR)


def robot_responses(cell: Cell, game: ReferenceGame, messages: Tensor) -> Respond:
    """How a robot that hears `messages` (K, message) picks between two candidates."""

    def respond(candidates: Tensor) -> Tensor:
        states = candidates[:, 0]
        right = torch.zeros(len(states), dtype=torch.bool)
        rows = [guess(cell, game, message.expand(len(states), -1), states, right) for message in messages]
        preference = torch.stack(rows) / TEMPERATURE
        return torch.nn.functional.logsigmoid(torch.stack([preference, -preference], dim=-1))

    return respond


def human_responses(listener: HumanListener, game: ReferenceGame, heard: Tensor) -> Respond:
    """How the model human that hears phrases, as bags `heard` (K, words), picks between two candidates."""

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        views = game.human_view(candidates.flatten(0, 1))
        fits = (heard @ listener.fits(views).T).unflatten(1, candidates.shape[:2])
        return torch.log_softmax(fits, dim=-1)

    return respond
