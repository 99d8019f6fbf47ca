"""Whole games replayed through a cell, all games that are still going on at once.

The rows of all steps lie one after the other, without those of finished games. So observations are encoded and Q values
are read for all steps at once, and only the memory is computed step by step.
"""

from collections.abc import Iterator
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.agents.episodes import Episodes


class Rows:
    """Where the steps of games, the longest first, lie in a matrix: step by step, game by game, player by player."""

    def __init__(self, episodes: Episodes) -> None:
        steps = episodes.steps()
        self.going_on = (steps > torch.arange(int(steps.max()))[:, None]).T  # (batch, time) bool
        self.sizes = (2 * self.going_on.sum(0)).tolist()

    def __len__(self) -> int:
        return sum(self.sizes)

    def __iter__(self) -> Iterator[slice]:
        """The rows of each step; a step's first rows go on from the same rows of the step before."""
        return (slice(*ends) for ends in pairwise([0, *accumulate(self.sizes)]))

    def pack(self, values: Tensor) -> Tensor:
        """Values (batch, time, 2, ...) restricted to games that are still going on: (rows, ...)."""
        by_time = values[:, : len(self.sizes)].transpose(0, 1)
        return by_time[self.going_on.T].flatten(0, 1)

    def following(self, values: Tensor) -> Tensor:
        """For each row, the value (rows,) of the same player one step later; zero after a game's last step."""
        after = torch.zeros_like(values)
        for now, then in pairwise(self):
            after[now.start : now.start + then.stop - then.start] = values[then]
        return after


def unroll(cell: Cell, rows: Rows, observations: Tensor, noise: Tensor) -> Tensor:
    """Q values (rows, actions) of games replayed with `observations` (rows, ...) and standard normal `noise`.

    `noise` (rows, message) is the channel's; what one player says is heard by the other a step later.
    """
    seen, noise = cell.encode_observation(observations), cell.config.noise * noise
    memory, heard = cell.initial(rows.sizes[0])
    memories = []
    for step in rows:
        going_on = step.stop - step.start
        encoded = torch.tanh(seen[step] + cell.encode_message(heard[:going_on]))
        memory = cell.memory(encoded, memory[:going_on])
        heard = (cell.says(memory) + noise[step]).unflatten(0, (-1, 2)).flip(1).flatten(0, 1)
        memories.append(memory)
    return cell.q_values(torch.cat(memories))
