"""Playing games with a cell, and remembering them.

An `Episodes` record holds what happened, not what was said: messages are computed anew from the observations whenever
a game is replayed, so that learning reaches through the channel.
"""

from dataclasses import dataclass, fields

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.games.game import Game


@dataclass
class Episodes:
    """A batch of whole games, padded to the game's longest; shapes start (batch, time)."""

    observations: Tensor  # (batch, time, 2, *observation_shape)
    actions: Tensor  # (batch, time, 2)
    counts: Tensor  # (batch, time, 2) bool: this player's action counted at this step
    reward: Tensor  # (batch, time)
    done: Tensor  # (batch, time) bool: the game ended with this step, or before
    success: Tensor  # (batch,) bool

    def tensors(self) -> dict[str, Tensor]:
        """All fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def unroll(cell: Cell, observations: Tensor, noise: Tensor) -> Tensor:
    """Replay games: Q values (batch, time, 2, actions) from observations (batch, time, 2, ...).

    `noise` (batch, time, 2, message) is standard normal; what one player says is heard by the other a step later.
    """
    batch, steps = observations.shape[:2]
    memory, incoming = cell.initial(2 * batch)
    q_values = []
    for time in range(steps):
        q, message, memory = cell(observations[:, time].flatten(0, 1), incoming, memory)
        q_values.append(q.view(batch, 2, -1))
        sent = message.view(batch, 2, -1) + cell.config.noise * noise[:, time]
        incoming = sent.flip(1).flatten(0, 1)
    return torch.stack(q_values, dim=1)


@torch.no_grad()
def play(cell: Cell, game: Game, batch: int, epsilon: float, generator: torch.Generator) -> Episodes:
    """Play `batch` fresh games to their end, each action random with chance `epsilon`, else the best by Q value."""
    world = game.reset(batch, generator)
    memory, incoming = cell.initial(2 * batch)
    over = torch.zeros(batch, dtype=torch.bool)
    succeeded = over.clone()
    record: dict[str, list[Tensor]] = {name: [] for name in ("observations", "actions", "counts", "reward", "done")}
    for _ in range(game.max_steps):
        observations, counts = game.observe(world), game.acting(world) & ~over[:, None]
        q, message, memory = cell(observations.flatten(0, 1), incoming, memory)
        greedy = q.view(batch, 2, -1).argmax(-1)
        explore = torch.rand(batch, 2, generator=generator) < epsilon
        actions = torch.where(explore, torch.randint(game.n_actions, (batch, 2), generator=generator), greedy)
        incoming = cell.channel(message, generator).view(batch, 2, -1).flip(1).flatten(0, 1)
        world, outcome = game.step(world, actions)
        reward = torch.where(over, 0.0, outcome.reward)
        succeeded |= outcome.success & ~over
        over = over | outcome.done
        for name, value in zip(record, (observations, actions, counts, reward, over), strict=True):
            record[name].append(value)
    return Episodes(**{name: torch.stack(values, dim=1) for name, values in record.items()}, success=succeeded)


class Replay:
    """The last `capacity` games, overwritten oldest first."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.size = 0
        self.next = 0
        self.stored: dict[str, Tensor] = {}

    def add(self, episodes: Episodes) -> None:
        """Remember `episodes`."""
        for name, value in episodes.tensors().items():
            if name not in self.stored:
                self.stored[name] = value.new_zeros(self.capacity, *value.shape[1:])
            places = (self.next + torch.arange(len(value))) % self.capacity
            self.stored[name][places] = value
        self.next = (self.next + len(episodes.success)) % self.capacity
        self.size = min(self.capacity, self.size + len(episodes.success))

    def sample(self, batch: int, generator: torch.Generator) -> Episodes:
        """Draw `batch` remembered games with replacement."""
        chosen = torch.randint(self.size, (batch,), generator=generator)
        return Episodes(**{name: value[chosen] for name, value in self.stored.items()})

    def state(self) -> dict:
        """All that is needed to go on, for a checkpoint."""
        return {"size": self.size, "next": self.next, "stored": {k: v[: self.size] for k, v in self.stored.items()}}

    def restore(self, state: dict) -> None:
        """Go on from a checkpoint's `state`."""
        self.size, self.next = state["size"], state["next"]
        for name, value in state["stored"].items():
            self.stored[name] = value.new_zeros(self.capacity, *value.shape[1:])
            self.stored[name][: self.size] = value
