"""Playing games with a cell, and remembering them.

An `Episodes` record holds what happened, not what was said: messages are recomputed from the observations whenever
a game is replayed, so that gradients flow through the channel.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from neuralese.agents.cell import Cell
from neuralese.games.states import Game, World


class Episodes(NamedTuple):
    """A batch of whole games, padded to the maximum length; shapes start (batch, time)."""

    observations: Tensor  # (batch, time, 2, *observation_shape)
    actions: Tensor  # (batch, time, 2)
    counts: Tensor  # (batch, time, 2) bool: this player's action counted at this step
    reward: Tensor  # (batch, time)
    over: Tensor  # (batch, time) bool: the game ended with this step, or before
    success: Tensor  # (batch,) bool

    def chosen(self, games: Tensor) -> "Episodes":
        """Some of the games."""
        return Episodes(*(value[games] for value in self))

    def longest_first(self) -> "Episodes":
        """The same games in the order that `unroll` needs."""
        return self.chosen(self.steps().argsort(descending=True, stable=True))

    def steps(self) -> Tensor:
        """How many steps each game took, (batch,)."""
        return 1 + (~self.over[:, :-1]).sum(1)


class Round(NamedTuple):
    """One step of a batch of games as it happened."""

    observations: Tensor  # (batch, 2, *observation_shape)
    counts: Tensor  # (batch, 2) bool: this player's action counts
    said: Tensor  # (batch, 2, message) before noise
    actions: Tensor  # (batch, 2)
    reward: Tensor  # (batch,) zero once a game is over
    over: Tensor  # (batch,) bool: the game ended with this step, or before
    success: Tensor  # (batch,) bool: it has ended in success
    sent: Tensor  # (batch, 2, message) what is heard of what was said, in the next step
    heard: Tensor  # (batch, 2, message) what was sent by the other in the last step
    memory: Tensor  # (2 batch, hidden) before the step


Intervene = Callable[[int, Tensor, Tensor], tuple[Tensor, Tensor]]
FEWEST = 4  # games that the cell is asked about at a time: products of fewer rows are rounded differently


@torch.no_grad()
def rounds(
    cell: Cell,
    game: Game[World],
    world: World,
    generator: torch.Generator,
    epsilon: float = 0.0,
    intervene: Intervene | None = None,
) -> Iterator[Round]:
    """Play on from `world`, each action random with probability `epsilon`, otherwise the best by Q value.

    `intervene(time, actions, sent)` may replace the cell's actions (batch, 2) and messages (batch, 2, message): this is
    how somebody else plays one of the seats. The cell is not asked in games that are over, so what is said and done
    there means nothing; they still take their random numbers at every step, so that no game depends on when others end.
    """
    observations = game.observe(world)
    batch = len(observations)
    memory, incoming = cell.initial(2 * batch)
    q, said = memory.new_zeros(2 * batch, game.n_actions), torch.zeros_like(incoming)
    over = success = torch.zeros(batch, dtype=torch.bool)
    for time in range(game.max_steps):
        counts = game.acting(world) & ~over[:, None]
        heard, before = incoming.view(batch, 2, -1), memory
        asked = _players(over)
        answers = cell(observations.flatten(0, 1)[asked], incoming[asked], memory[asked])
        q, said, memory = (
            old.index_copy(0, asked, new) for old, new in zip((q, said.flatten(0, -2), memory), answers, strict=True)
        )
        said = said.view(batch, 2, -1)
        greedy = q.view(batch, 2, -1).argmax(-1)
        explore = torch.rand(batch, 2, generator=generator) < epsilon
        actions = torch.where(explore, torch.randint(game.n_actions, (batch, 2), generator=generator), greedy)
        sent = cell.channel(said, generator)
        if intervene:
            actions, sent = intervene(time, actions, sent)
        incoming = sent.flip(1).flatten(0, 1)
        world, outcome = game.step(world, actions)
        success = success | (outcome.success & ~over)
        reward, over = torch.where(over, 0.0, outcome.reward), over | outcome.done
        yield Round(observations, counts, said, actions, reward, over, success, sent, heard, before)
        observations = game.observe(world)


def _players(over: Tensor) -> Tensor:
    """The rows (n,) of both players of the games that are not `over` (batch,), or of a few more than those."""
    going_on = int((~over).sum())
    games = over.int().argsort(stable=True)[: max(going_on, FEWEST)].sort().values
    return (2 * games[:, None] + torch.arange(2)).flatten()


def play(cell: Cell, game: Game, batch: int, epsilon: float, generator: torch.Generator) -> Episodes:
    """Play `batch` fresh games to their end."""
    played = list(rounds(cell, game, game.reset(batch, generator), generator, epsilon))
    names = ("observations", "actions", "counts", "reward", "over")
    record = {name: torch.stack([getattr(each, name) for each in played], dim=1) for name in names}
    return Episodes(**record, success=played[-1].success)


class Replay:
    """The last `capacity` games; the oldest are overwritten first."""

    stored: Episodes

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.size = self.next = 0

    def add(self, episodes: Episodes) -> None:
        """Remember `episodes`."""
        new = len(episodes.success)
        if not self.size:
            self.stored = Episodes(*(value.new_zeros(self.capacity, *value.shape[1:]) for value in episodes))
        places = (self.next + torch.arange(new)) % self.capacity
        for stored, value in zip(self.stored, episodes, strict=True):
            stored[places] = value
        self.next = (self.next + new) % self.capacity
        self.size = min(self.capacity, self.size + new)

    def sample(self, batch: int, generator: torch.Generator) -> Episodes:
        """Draw `batch` remembered games with replacement."""
        return self.stored.chosen(torch.randint(self.size, (batch,), generator=generator))

    def state(self) -> dict:
        """Everything needed to resume, for a checkpoint."""
        return {"next": self.next, "stored": [value[: self.size] for value in self.stored]}

    def restore(self, state: dict) -> None:
        """Resume from a checkpoint's `state`."""
        self.add(Episodes(*state["stored"]))
        self.next = state["next"]
