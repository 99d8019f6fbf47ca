"""The reference game of the paper (Figure 4a, b): name one of two items, or more, so that the other player picks it.

Player a, the speaker, sees the target and the other items, or the target alone if so configured. A step later player
b, the listener, sees them in random order and picks one, or waits for another message. A speaker's *state* is (target,
others...). Given what the listener sees, there are only as many possible states as items: the same items with
another one as the target. All are equally likely.

Items are passed around as ids and looked up where their features are needed.
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from neuralese.games.states import Game, Outcome, Question

SPEAKER, LISTENER = 0, 1
CORRECT_REWARD, WAIT_REWARD = 1.0, -0.1


@dataclass(frozen=True)
class ReferenceWorld:
    """A batch of reference games."""

    states: Tensor  # (batch, items) ids of the target and the others
    place: Tensor  # (batch,) the place at which the listener sees the target
    time: int


class ReferenceGame(Game[ReferenceWorld]):
    """Reference games over the items (n, d) whose ids are in the `pool` (by default, all).

    With k items to choose from, actions 0 to k - 1 pick the one at that place, and action k waits. Speakers see "all"
    items or the "target".
    """

    asks = True

    def __init__(
        self,
        items: Tensor,
        pool: Tensor | None = None,
        max_steps: int = 3,
        n_candidates: int = 2,
        speaker_sees: str = "all",
    ) -> None:
        self.items, self.speaker_sees = items, speaker_sees
        self.pool = torch.arange(len(items)) if pool is None else pool
        self.max_steps, self.n_candidates = max_steps, n_candidates
        self.n_actions = n_candidates + 1
        self.observation_shape = (n_candidates + 1,)  # ids of the items, from left to right, and the role

    def reset(self, batch: int, generator: torch.Generator) -> ReferenceWorld:
        """Draw the items of each game, and the place at which the listener will see the target."""
        return ReferenceWorld(self.draw_states(batch, generator), self.places(batch, generator), time=0)

    def observe(self, world: ReferenceWorld) -> Tensor:
        """Each player sees the items and which role it plays; at first the listener sees no items."""
        seen = self.listener_view(world.states, world.place)
        listener = seen if world.time else self.blank().expand_as(seen)
        return torch.stack([self.speaker_view(world.states), listener], dim=1)

    def acting(self, world: ReferenceWorld) -> Tensor:
        """Only the listener acts, once it sees the items."""
        return torch.tensor([False, world.time > 0]).expand(len(world.states), 2)

    def step(self, world: ReferenceWorld, actions: Tensor) -> tuple[ReferenceWorld, Outcome]:
        """A pick ends the game, rewarded if it is the target; waiting costs a little."""
        pick, asked = actions[:, LISTENER], world.time > 0
        waits, success = (pick == self.n_candidates) & asked, (pick == world.place) & asked
        reward = torch.where(waits, WAIT_REWARD, CORRECT_REWARD * success)
        return replace(world, time=world.time + 1), Outcome(reward, done=~waits & asked, success=success)

    def encoder(self, width: int) -> nn.Module:
        """A linear layer over the items' features and the role."""
        return ReferenceEncoder(self.items, width, self.n_candidates)

    def draw_states(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw speaker states (count, items) uniformly from the pool."""
        return self.pool[torch.randint(len(self.pool), (count, self.n_candidates), generator=generator)]

    def with_distractors(self, true: Tensor, generator: torch.Generator) -> Tensor:
        """Draw the others from the targets of other states."""
        others = [true[torch.randperm(len(true), generator=generator)] for _ in range(self.n_candidates - 1)]
        return torch.stack([true, *others], dim=1)

    def speaker_view(self, states: Tensor) -> Tensor:
        """What a speaker in `states` (n, items) sees: the target, the others if shown, and its role."""
        return _with_role(states, SPEAKER) if self.speaker_sees == "all" else self.human_view(states)

    def human_view(self, states: Tensor) -> Tensor:
        """What a human describes in `states` (n, items): the target alone, since annotators saw one item at a time."""
        blank = torch.full_like(states[:, 1:], len(self.items))
        return _with_role(torch.cat([states[:, :1], blank], dim=1), SPEAKER)

    def places(self, batch: int, generator: torch.Generator) -> Tensor:
        """Places (batch,) at which targets are shown, uniformly at random."""
        return self.n_candidates - 1 - (torch.rand(batch, generator=generator) * self.n_candidates).long()

    @staticmethod
    def listener_view(states: Tensor, place: Tensor) -> Tensor:
        """What a listener sees in the speaker's `states` (n, items): the target at its place, its role."""
        places = torch.arange(states.shape[1])
        shown = torch.where(places == place[:, None], 0, places + (places < place[:, None]).long())
        return _with_role(states.gather(1, shown), LISTENER)

    def blank(self) -> Tensor:
        """What a listener sees before the items are shown: only its role."""
        return torch.tensor([len(self.items)] * self.n_candidates + [LISTENER])

    def question(self, states: Tensor, generator: torch.Generator) -> Question:
        """Show the items, the target at a random place; a listener picks by place."""
        place = self.places(len(states), generator)
        others = torch.arange(states.shape[1] - 1)
        picks = torch.cat([place[:, None], others + (others >= place[:, None]).long()], dim=1)
        return Question(self.listener_view(states, place), picks)


class ReferenceEncoder(nn.Module):
    """Looks items up and maps them all, with the role, through one linear layer; the items are not weights."""

    items: Tensor

    def __init__(self, items: Tensor, width: int, n_candidates: int) -> None:
        super().__init__()
        blank = items.new_zeros(1, items.shape[1])
        self.register_buffer("items", torch.cat([items, blank]), persistent=False)
        self.linear = nn.Linear(n_candidates * items.shape[1], width)
        self.role = nn.Embedding(2, width)

    def forward(self, observation: Tensor) -> Tensor:
        """Map observations (n, items + 1) to (n, width)."""
        seen = self.items.index_select(0, observation[:, :-1].flatten())  # faster than an index
        return self.linear(seen.view(len(observation), -1)) + self.role(observation[:, -1])


def _with_role(items: Tensor, role: int) -> Tensor:
    return torch.cat([items, torch.full((len(items), 1), role)], dim=1)
