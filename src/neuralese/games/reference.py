"""The reference game of the paper (Figure 4a, b): name one of two items so that the other player picks it.

Player a, the speaker, sees the target and the other item. A step later player b, the listener, sees both in random
order and picks left or right, or waits for another message. A speaker's *state* is (target, other), and given what the
listener sees only one other state is possible: the same two items with their roles swapped. Both are as likely.

Items are passed around by their ids and looked up where their features are needed.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from neuralese.games.game import Game, Outcome

LEFT, RIGHT, WAIT = 0, 1, 2
SPEAKER, LISTENER = 0, 1
CORRECT_REWARD, WAIT_REWARD = 1.0, -0.1
STATE_COLUMNS = ("target", "other")


@dataclass(frozen=True)
class ReferenceWorld:
    """A batch of reference games."""

    states: Tensor  # (batch, 2) ids of target and other
    target_right: Tensor  # (batch,) bool: the listener sees the target on the right
    time: int


class ReferenceGame(Game[ReferenceWorld]):
    """Reference games over those of the items (n, d) whose ids are in the `pool` (all, if none is given)."""

    n_actions = 3
    observation_shape = (3,)  # id of the left item, id of the right item, role

    def __init__(self, items: Tensor, pool: Tensor | None = None, max_steps: int = 3) -> None:
        self.items = items
        self.pool = torch.arange(len(items)) if pool is None else pool
        self.max_steps = max_steps

    def reset(self, batch: int, generator: torch.Generator) -> ReferenceWorld:
        """Draw two items for each game, and the side on which the listener will see the target."""
        return ReferenceWorld(self.draw_states(batch, generator), coins(batch, generator), time=0)

    def observe(self, world: ReferenceWorld) -> Tensor:
        """Each player sees two items and which role it plays; at first the listener sees neither item."""
        if world.time == 0:
            listener = self.blank_view(len(world.states))
        else:
            listener = self.listener_view(world.states, world.target_right)
        return torch.stack([self.speaker_view(world.states), listener], dim=1)

    def acting(self, world: ReferenceWorld) -> Tensor:
        """Only the listener acts, once it sees the items."""
        acting = torch.zeros(len(world.states), 2, dtype=torch.bool)
        acting[:, LISTENER] = world.time > 0
        return acting

    def step(self, world: ReferenceWorld, actions: Tensor) -> tuple[ReferenceWorld, Outcome]:
        """A pick ends the game, rewarded if it is the target; waiting costs a little."""
        pick = actions[:, LISTENER]
        if world.time == 0:
            success = done = torch.zeros(len(pick), dtype=torch.bool)
            reward = torch.zeros(len(pick))
        else:
            success = pick == torch.where(world.target_right, RIGHT, LEFT)
            reward = torch.where(pick == WAIT, WAIT_REWARD, CORRECT_REWARD * success)
            done = pick != WAIT
        return replace(world, time=world.time + 1), Outcome(reward, done, success)

    def encoder(self, width: int) -> nn.Module:
        """A linear layer over the two items' features and the role."""
        return ReferenceEncoder(self.items, width)

    def draw_states(self, batch: int, generator: torch.Generator) -> Tensor:
        """Draw speaker states (batch, 2): ids of a target and another item, both from all items alike."""
        return self.pool[torch.randint(len(self.pool), (batch, 2), generator=generator)]

    def redraw(self, states: Tensor, generator: torch.Generator) -> Tensor:
        """Let the others be the targets of other states."""
        return torch.stack([states[:, 0], states[torch.randperm(len(states), generator=generator), 0]], dim=1)

    def to_columns(self, states: Tensor) -> dict[str, Tensor]:
        """Ids of the two items."""
        return dict(zip(STATE_COLUMNS, states.T, strict=True))

    def from_columns(self, columns: dict[str, Tensor]) -> Tensor:
        """What `to_columns` was given."""
        return torch.stack([columns[name] for name in STATE_COLUMNS], dim=1)

    @staticmethod
    def speaker_view(states: Tensor) -> Tensor:
        """What a speaker in `states` (n, 2) sees: target, other, its role."""
        return _with_role(states, SPEAKER)

    def human_view(self, states: Tensor) -> Tensor:
        """What a human describes of `states` (n, 2): the target alone, since annotators saw one item at a time."""
        blank = torch.full_like(states[:, :1], len(self.items))
        return _with_role(torch.cat([states[:, :1], blank], dim=1), SPEAKER)

    @staticmethod
    def listener_view(states: Tensor, target_right: Tensor) -> Tensor:
        """What a listener sees of the speaker's `states` (n, 2): left, right, its role."""
        return _with_role(torch.where(target_right[:, None], states.flip(1), states), LISTENER)

    def blank_view(self, batch: int) -> Tensor:
        """What a listener sees before the items are shown: its role."""
        return _with_role(torch.full((batch, 2), len(self.items)), LISTENER)


class ReferenceEncoder(nn.Module):
    """Looks items up and maps both, with the role, through one linear layer; the items are not among its weights."""

    def __init__(self, items: Tensor, width: int) -> None:
        super().__init__()
        blank = items.new_zeros(1, items.shape[1])
        self.register_buffer("items", torch.cat([items, blank]), persistent=False)
        self.linear = nn.Linear(2 * items.shape[1], width)
        self.role = nn.Embedding(2, width)

    def forward(self, observation: Tensor) -> Tensor:
        """Map observations (n, 3) to (n, width)."""
        return self.linear(self.items[observation[:, :2]].flatten(1)) + self.role(observation[:, 2])


def coins(batch: int, generator: torch.Generator) -> Tensor:
    """Fair coins, (batch,) bool."""
    return torch.rand(batch, generator=generator) < 0.5


def _with_role(items: Tensor, role: int) -> Tensor:
    return torch.cat([items, torch.full((len(items), 1), role)], dim=1)
