"""A robot that is asked for the state, one step after another: what the library's shorter way is compared with."""

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.games.reference import ReferenceGame


@torch.no_grad()
def preferences(cell: Cell, game: ReferenceGame, messages: Tensor, states: Tensor, place: Tensor) -> Tensor:
    """Q values (n, items) of picking the target, shown at its `place` (n,), and each other item, by who hears."""
    memory, nothing = cell.initial(len(states))
    _, _, memory = cell(game.blank().expand(len(states), -1), nothing, memory)
    q, _, _ = cell(game.listener_view(states, place), messages, memory)
    found = []
    for values, at in zip(q, place.tolist(), strict=True):
        others = [each for each in range(states.shape[1]) if each != at]  # the other items, from left to right
        found.append(values[[at, *others]])
    return torch.stack(found)


def margin(cell: Cell, game: ReferenceGame, messages: Tensor, states: Tensor, place: Tensor) -> Tensor:
    """By how much a robot prefers the target to the best of the others, (n,)."""
    preferred = preferences(cell, game, messages, states, place)
    return preferred[:, 0] - preferred[:, 1:].max(1).values
