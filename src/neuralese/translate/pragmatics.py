"""The pragmatic meaning of a message (Section 3 of the paper): what it makes a listener do, p(u | z, x_b).

In a reference game to act is to pick one of the candidates, so actions take the place of beliefs and everything else
of a criterion stays as it is. Robots pick by their Q values, the model human by how well the words fit.

The listeners whose actions are matched are those that judge the belief evaluation. So a pragmatic translation shows
how much a translator could gain that knew its judges; it is not to be compared with those that do not.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.games.reference import LEFT, RIGHT, ReferenceGame
from neuralese.speakers.models import HumanListener
from neuralese.translate.reading import Listed, Reading

TEMPERATURE = 0.1  # of a robot's choice between two Q values, which lie between 0 and 1
AT_ONCE = 64  # messages that a robot is asked about at a time
# messages (phrases, k, message), contexts (phrases, b) -> log beliefs (phrases, k, b, s)
Believe = Callable[[Tensor, Tensor], Tensor]
Respond = Callable[[Tensor], Tensor]  # candidates (n, s, ...) -> log p(u | z_k, x_bi), (K, n, s)


@dataclass(frozen=True)
class Heeded(Listed):
    """A language with what its listeners do, in place of what they believe."""

    language: Listed
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

    def read(self, reading: Reading) -> "Heeded":
        """What listeners do is what they do; how often a message is said is read as the language is."""
        return replace(self, language=self.language.read(reading))

    def log_likelihood(self, candidates: Tensor) -> Tensor:
        """That of the language."""
        return self.language.log_likelihood(candidates)

    def log_beliefs(self, candidates: Tensor, log_likelihood: Tensor) -> Tensor:
        """The logarithm of the listener's choice, (K, n, s), however likely the message is."""
        return self.respond(candidates).double()


def listening(cell: Cell, game: ReferenceGame) -> Callable[[Tensor], Tensor]:
    """Q values (n, actions) of a robot's first look at the items, by what it sees and hears, `encoded` (n, hidden).

    Its memory is of one step in which nothing was shown or said, always the same: that half of the GRU is done once.
    """
    gru = cell.memory
    with torch.no_grad():
        memory, nothing = cell.initial(1)
        _, _, memory = cell(game.blank_view(1), nothing, memory)
        recalled = nn.functional.linear(memory, gru.weight_hh, gru.bias_hh).chunk(3, dim=-1)

    def q_values(encoded: Tensor) -> Tensor:
        reset, update, new = nn.functional.linear(encoded, gru.weight_ih, gru.bias_ih).chunk(3, dim=-1)
        reset, update = torch.sigmoid(reset + recalled[0]), torch.sigmoid(update + recalled[1])
        new = torch.tanh(new + reset * recalled[2])
        return cell.q_values(new + update * (memory - new))

    return q_values


def believe_by_playing(cell: Cell, game: ReferenceGame, candidates: Tensor, generator: torch.Generator) -> Believe:
    """A robot that picks an item, shown on a random side; what it would rather pick is what it believes."""
    states, listen = candidates[:, 0], listening(cell, game)

    def believe(messages: Tensor, contexts: Tensor) -> Tensor:
        right = torch.rand(contexts.shape, generator=generator) < 0.5
        seen = cell.encode_observation(game.listener_view(states[contexts.flatten()], right.flatten()))
        encoded = torch.tanh(
            seen.view(len(contexts), 1, contexts.shape[1], -1) + cell.encode_message(messages)[:, :, None]
        )
        q = listen(encoded.flatten(0, 2)).view(*encoded.shape[:3], -1)
        to_right = (q[..., RIGHT] - q[..., LEFT]) / TEMPERATURE
        to_target = torch.where(right[:, None], to_right, -to_right)
        return nn.functional.logsigmoid(torch.stack([to_target, -to_target], dim=-1))

    return believe


def robot_responses(cell: Cell, game: ReferenceGame, messages: Tensor) -> Respond:
    """How a robot that hears `messages` (K, message) picks between two candidates."""

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        believe = believe_by_playing(cell, game, candidates, torch.Generator().manual_seed(0))
        every = torch.arange(len(candidates))[None]
        return torch.cat([believe(part[None], every)[0] for part in messages.split(AT_ONCE)])

    return respond


def human_responses(listener: HumanListener, game: ReferenceGame, heard: Tensor) -> Respond:
    """How the model human that hears phrases, as bags `heard` (K, words), picks between two candidates."""

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        views = game.human_view(candidates.flatten(0, 1))
        fits = (heard @ listener.fits(views).T).unflatten(1, candidates.shape[:2])
        return torch.log_softmax(fits, dim=-1)

    return respond
