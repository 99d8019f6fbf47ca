"""A trained cell as a speaker and as a listener of reference games."""

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.games.reference import LEFT, RIGHT, ReferenceGame


@torch.no_grad()
def speak(cell: Cell, game: ReferenceGame, states: Tensor) -> Tensor:
    """The messages (n, message), before noise, with which a robot opens in `states` (n, 2)."""
    memory, incoming = cell.initial(len(states))
    return cell(game.speaker_view(states), incoming, memory)[1]


@torch.no_grad()
def guess(cell: Cell, game: ReferenceGame, messages: Tensor, states: Tensor, target_right: Tensor) -> Tensor:
    """By how much a robot that hears `messages` (n, message) prefers the target to the other item: (n,)."""
    memory, incoming = cell.initial(len(states))
    _, _, memory = cell(game.blank_view(len(states)), incoming, memory)
    q, _, _ = cell(game.listener_view(states, target_right), messages, memory)
    return torch.where(target_right, q[:, RIGHT] - q[:, LEFT], q[:, LEFT] - q[:, RIGHT])
