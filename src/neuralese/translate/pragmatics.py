"""The pragmatic meaning of a message (Section 3 of the paper): what it makes a listener do, p(u | z, x_b).

If a game asks its listeners for the state, to act is to pick one of the candidates, so actions take the place of
beliefs (`Meanings` with `respond`) and everything else about a criterion stays the same. Robots pick by their Q values,
the model human by how well the words fit.

The listeners whose actions are matched are those that judge the belief evaluation. So a pragmatic translation shows
how much a translator could gain by knowing its judges; it must not be compared with those that do not.
"""

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.players import listening
from neuralese.games.states import Game, States
from neuralese.speakers.models import HumanListener
from neuralese.translate.pairs import Respond

TEMPERATURE = 0.1  # of a robot's choice by Q values, which lie between 0 and 1
AT_ONCE = 64  # number of messages a robot is asked about at a time


def robot_responses(cell: Cell, game: Game, messages: Tensor) -> Respond:
    """How a robot that hears `messages` (K, message) picks among the candidates: log p of each, (K, n, s)."""
    listen = listening(cell, game)

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        generator, picks = torch.Generator().manual_seed(0), []
        for part in messages.split(AT_ONCE):
            asked = game.question(candidates[:, 0], generator)
            heard = torch.tanh(cell.encode_observation(asked.seen) + cell.encode_message(part)[:, None])
            q = listen(heard.flatten(0, 1)).unflatten(0, heard.shape[:2])
            picked = q.gather(-1, asked.picks.expand(len(part), -1, -1))
            picks.append(torch.log_softmax(picked / TEMPERATURE, dim=-1))
        return torch.cat(picks)

    return respond


def human_responses(listener: HumanListener, states: States, heard: Tensor) -> Respond:
    """How the model human that hears phrases, as bags `heard` (K, words), picks among the candidates."""

    @torch.no_grad()
    def respond(candidates: Tensor) -> Tensor:
        views = states.human_view(candidates.flatten(0, 1))
        fits = (heard @ listener.fits(views).mean(0).T).unflatten(1, candidates.shape[:2])
        return torch.log_softmax(fits, dim=-1)

    return respond
