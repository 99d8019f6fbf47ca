"""A trained cell as a speaker, and in reference games as a listener."""

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import rounds
from neuralese.games.driving import DrivingGame
from neuralese.games.game import Game
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


def overhear(cell: Cell, game: DrivingGame, batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Listen to `batch` games of two robots: what a speaker saw (n, 3), what it said before noise, and in which game.

    A car that has arrived, and a game that is over, are not listened to.
    """
    seen, said, where = [], [], []
    for played in rounds(cell, game, game.reset(batch, generator), generator):
        row, seat = torch.nonzero(played.counts, as_tuple=True)
        seen.append(played.observations[row, seat])
        said.append(played.said[row, seat])
        where.append(row)
    return torch.cat(seen), torch.cat(said), torch.cat(where)


def utterances(
    cell: Cell, game: Game, count: int, generator: torch.Generator, independent: bool = True
) -> tuple[Tensor, Tensor]:
    """States (count, 2, ...) and what a robot says in them before noise: (count, message).

    In a reference game the robot opens in a fresh state. In the driving game it is overheard, and each message is from
    a game of its own unless `independent` is false.
    """
    if isinstance(game, ReferenceGame):
        states = game.draw_states(count, generator)
        return states, speak(cell, game, states)
    seen, said, found = [], [], 0
    while found < count:
        own, messages, where = overhear(cell, game, min(GAMES_AT_ONCE, count - found), generator)
        chosen = _one_of_each(where, generator) if independent else torch.arange(len(own))
        seen.append(own[chosen])
        said.append(messages[chosen])
        found += len(chosen)
    own = torch.cat(seen)[:count]
    return game.redraw(torch.stack([own, own], dim=1), generator), torch.cat(said)[:count]


GAMES_AT_ONCE = 4096


def _one_of_each(groups: Tensor, generator: torch.Generator) -> Tensor:
    """The position of one member, drawn evenly, of each of `groups` (n,)."""
    shuffled = torch.randperm(len(groups), generator=generator)
    by_group = shuffled[groups[shuffled].argsort(stable=True)]
    first = torch.ones(len(groups), dtype=torch.bool)
    first[1:] = groups[by_group][1:] != groups[by_group][:-1]
    return by_group[first]
