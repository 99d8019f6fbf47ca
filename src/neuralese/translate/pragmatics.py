"""The pragmatic meaning of a message (Section 3 of the paper): what it makes a listener do, p(u | z, x_b).

If a game asks its listeners for the state, to act is to pick one of the candidates, so actions take the place of
beliefs (`Meanings` with `respond`) and everything else about a criterion stays the same. Robots pick by their Q values,
the model human by how well the words fit.

The listeners whose actions are matched are those that judge the belief evaluation. So a pragmatic translation shows
how much a translator could gain by knowing its judges; it must not be compared with those that do not.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from neuralese.agents.cell import Cell
from neuralese.agents.players import listening
from neuralese.games.states import Game, States
from neuralese.speakers.models import HumanListener
from neuralese.translate.pairs import Respond

TEMPERATURE = 0.1  # of a robot's choice by Q values, which lie between 0 and 1
AT_ONCE = 64  # number of messages a robot is asked about at a time
# messages (phrases, k, message), contexts (phrases, b) -> log beliefs (phrases, k, b, s)
Believe = Callable[[Tensor, Tensor], Tensor]


def log_picks(margins: Tensor) -> Tensor:
    """log p of picking the true candidate and each other one, (..., s), from the margins of the true one.

    Two need no normalising: one is picked with the probability that the other is not.
    """
    if margins.shape[-1] == 1:
        return nn.functional.logsigmoid(torch.cat([margins, -margins], dim=-1))
    return torch.log_softmax(torch.cat([torch.zeros_like(margins[..., :1]), -margins], dim=-1), dim=-1)


def believe_by_playing(cell: Cell, game: Game, candidates: Tensor, generator: torch.Generator) -> Believe:
    """A robot whose game asks it for the state; its preferences are its beliefs."""
    states, listen = candidates[:, 0], listening(cell, game)

    def believe(messages: Tensor, contexts: Tensor) -> Tensor:
        asked = game.question(states[contexts.flatten()], generator)
        seen = cell.encode_observation(asked.seen)
        encoded = torch.tanh(
            seen.view(len(contexts), 1, contexts.shape[1], -1) + cell.encode_message(messages)[:, :, None]
        )
        q = listen(encoded.flatten(0, 2)).view(*encoded.shape[:3], -1)
        picks = asked.picks.view(len(contexts), 1, contexts.shape[1], -1).expand(-1, messages.shape[1], -1, -1)
        picked = q.gather(-1, picks)
        return log_picks((picked[..., :1] - picked[..., 1:]) / TEMPERATURE)

    return believe


def robot_responses(cell: Cell, game: Game, messages: Tensor) -> Respond:
    """How a robot that hears `messages` (K, message) picks among the candidates."""

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        believe = believe_by_playing(cell, game, candidates, torch.Generator().manual_seed(0))
        every = torch.arange(len(candidates))[None]
        return torch.cat([believe(part[None], every)[0] for part in messages.split(AT_ONCE)])

    return respond


def human_responses(listener: HumanListener, states: States, heard: Tensor) -> Respond:
    """How the model human that hears phrases, as bags `heard` (K, words), picks among the candidates."""

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        views = states.human_view(candidates.flatten(0, 1))
        fits = (heard @ listener.fits(views).mean(0).T).unflatten(1, candidates.shape[:2])
        return torch.log_softmax(fits, dim=-1)

    return respond
