"""The driving game of the paper (Figure 4c): two cars that cannot see each other must both reach their goals.

A *cell* is a number, 8 * row + column. A *pose* is a cell and a heading, 4 * cell + direction, with the directions
north, east, south, west; the pose of a car that has arrived and left the road is `GONE`. A car covers two cells, its
head and its tail. Both players act at once; a car that reaches its goal leaves the road. The reward is shared, and as
in the authors' released game each step yields

    -0.01    for the time
    -0.5     for each occupied cell off the road, whether by one car or two
    +0.1     for each cell that a car gets closer to its goal, unless it arrives
    +1       for each car that arrives
    -2       if the cars, neither of which had arrived before the step, now share a cell: that ends the game, which is
             still completed if both arrive in this step

A player sees (map, pose, goal) of its own car. A *state* of a speaker is that together with distractors, other
states from play on the same map; its message must tell which one is true: (n, s, 3), the true one first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from neuralese.games.states import Game, Outcome, Redraw, prefixes

TIME, OFF_ROAD, NEARER, ARRIVAL, CRASH = -0.01, -0.5, 0.1, 1.0, -2.0
SIZE = 8
CELLS = SIZE * SIZE
POSES = 4 * CELLS
GONE = POSES  # the pose of a car that has left the road
WAIT, FORWARD, LEFT, RIGHT = range(4)  # actions; a turn also advances
ACTIONS = 4
STATE_COLUMNS = ("row", "col", "direction", "goal_row", "goal_col")
_OFFSETS = 2 * SIZE - 1  # of a goal ahead or to the right, as seen by the driver
REDRAWS = 20  # attempts to find a distractor that differs from the true state


@dataclass(frozen=True)
class Layouts:
    """The roads of all maps, with the poses in which cars may start and the cells they may have to reach."""

    road: Tensor  # (maps, CELLS) bool
    starts: list[Tensor]  # poses, by map
    goals: list[Tensor]  # cells, by map

    @classmethod
    def of(cls, roads: Iterable[str], starts: Iterable[Sequence[int]], goals: Iterable[Sequence[int]]) -> "Layouts":
        """The layouts of roads as lines of `#` and `.`."""
        road = torch.tensor([[cell == "#" for cell in lines.replace("\n", "")] for lines in roads])
        return cls(road, *([torch.tensor(each, dtype=torch.int64) for each in lists] for lists in (starts, goals)))


def _ahead(direction: Tensor, by: int) -> Tensor:
    """The cell `by` cells from each pose in a `direction`, or the last one before the border: (POSES,)."""
    cell = torch.arange(POSES) // 4
    down, across = torch.tensor([-1, 0, 1, 0])[direction], torch.tensor([0, 1, 0, -1])[direction]
    row, column = cell // SIZE + by * down, cell % SIZE + by * across
    return SIZE * row.clamp(0, SIZE - 1) + column.clamp(0, SIZE - 1)


def move_table() -> Tensor:
    """The pose an action leads to, (POSES, ACTIONS): a turn is taken first, then all but waiting advance."""
    poses = torch.arange(POSES)
    headings = [(poses + turn) % 4 for turn in (0, -1, 1)]  # forward, left, right
    return torch.stack([poses, *(4 * _ahead(heading, 1) + heading for heading in headings)], dim=1)


def tail_table() -> Tensor:
    """The cell behind each pose, (POSES,); at the border the tail is under the head."""
    return _ahead(torch.arange(POSES) % 4, -1)


def off_road_table(road: Tensor) -> Tensor:
    """How many of a car's two cells are off the road, (maps, POSES); at the border it has one."""
    off, head, tail = (~road).long(), torch.arange(POSES) // 4, tail_table()
    return off[:, head] + off[:, tail] * (tail != head)


@dataclass(frozen=True)
class DrivingWorld:
    """A batch of driving games; car 0 is player a's, car 1 player b's."""

    map: Tensor  # (batch,)
    pose: Tensor  # (batch, 2) where an arrived car was last
    goal: Tensor  # (batch, 2) cells
    arrived: Tensor  # (batch, 2) bool

    def __getitem__(self, rows: Tensor) -> "DrivingWorld":
        return DrivingWorld(self.map[rows], self.pose[rows], self.goal[rows], self.arrived[rows])


class DrivingGame(Game[DrivingWorld]):
    """Driving on given layouts; fresh games start and end where the layouts say, never with two cars in one place."""

    n_actions = ACTIONS
    observation_shape = (3,)  # map, pose, goal

    def __init__(self, layouts: Layouts, max_steps: int = 20, n_candidates: int = 2, distractors: str = "play") -> None:
        """Distractors come from "play", like the true states, or are "anywhere" (see `anywhere`)."""
        self.layouts, self.max_steps, self.n_candidates = layouts, max_steps, n_candidates
        self.distractors = distractors
        self._move = move_table().flatten()
        self._tail = tail_table()
        row, column = torch.arange(CELLS) // SIZE, torch.arange(CELLS) % SIZE
        distance = (row[:, None] - row).abs() + (column[:, None] - column).abs()
        self._distance = NEARER * distance.float().flatten()
        self._off_cell = OFF_ROAD * (~layouts.road).float().flatten()
        self._off_road = OFF_ROAD * off_road_table(layouts.road).float().flatten()
        pad = nn.utils.rnn.pad_sequence
        self._starts, self._goals = (pad(each, batch_first=True) for each in (layouts.starts, layouts.goals))
        self._n_starts = torch.tensor([len(starts) for starts in layouts.starts])
        self._n_goals = torch.tensor([len(goals) for goals in layouts.goals])

    def reset(self, batch: int, generator: torch.Generator) -> DrivingWorld:
        """Draw a map, two different starts and two goals for each game, uniformly."""
        where = torch.randint(len(self.layouts.road), (batch,), generator=generator)
        starts, goals = self._n_starts[where], self._n_goals[where]
        first = _below(starts, generator)
        second = (first + 1 + _below(starts - 1, generator)) % starts
        pose = self._starts[where[:, None], torch.stack([first, second], dim=1)]
        goal = self._goals[where[:, None], torch.stack([_below(goals, generator), _below(goals, generator)], dim=1)]
        return DrivingWorld(where, pose, goal, arrived=torch.zeros(batch, 2, dtype=torch.bool))

    def observe(self, world: DrivingWorld) -> Tensor:
        """Each player sees the map, where its own car is (`GONE` once it has arrived) and its own goal."""
        pose = torch.where(world.arrived, GONE, world.pose)
        return torch.stack([world.map[:, None].expand_as(pose), pose, world.goal], dim=2)

    def acting(self, world: DrivingWorld) -> Tensor:
        return ~world.arrived

    def step(self, world: DrivingWorld, actions: Tensor) -> tuple[DrivingWorld, Outcome]:
        acting = self.acting(world)
        pose = torch.where(acting, self._move.take(world.pose * ACTIONS + actions), world.pose)
        head, tail = pose >> 2, self._tail.take(pose)
        arrived = head == world.goal  # also for a car that had arrived before, which stays where it was
        one, other = torch.stack([head, tail], dim=2).unbind(1)  # the cells of each car, (batch, 2)
        shared = (one[:, :, None] == other[:, None]).any(2)
        crash = shared.any(1) & acting.all(1)
        nearer = self._distance.take((world.pose >> 2) * CELLS + world.goal) - self._distance.take(
            head * CELLS + world.goal
        )
        off_road = self._off_road.take(world.map[:, None] * POSES + pose)
        reward = ((torch.where(arrived, ARRIVAL, nearer) + off_road) * acting).sum(1) + TIME + CRASH * crash
        shared[:, 1] &= one[:, 1] != one[:, 0]
        reward -= (self._off_cell.take(world.map[:, None] * CELLS + one) * shared).sum(1) * crash  # counted twice
        success = arrived.all(1)
        return replace(world, pose=pose, arrived=arrived), Outcome(reward, crash | success, success)

    def encoder(self, width: int) -> nn.Module:
        """A linear layer over indicators of map, position, orientation and goal."""
        return DrivingEncoder(len(self.layouts.road), width)

    def with_distractors(self, true: Tensor, generator: torch.Generator) -> Tensor:
        """Draw distractors from the true states on the same map, none equal to the true state if there are others.

        In a game whose distractors are "anywhere", draw those.
        """
        if self.distractors == "anywhere":
            return self.anywhere(true, generator)
        order = true[:, 0].argsort(stable=True)  # states by map, so that a map's states are a range
        counts = torch.bincount(true[:, 0], minlength=len(self.layouts.road))
        first, size = (counts.cumsum(0) - counts)[true[:, 0]], counts[true[:, 0]]
        others = []
        for _ in range(self.n_candidates - 1):
            other = true.clone()
            for _ in range(REDRAWS):
                same = (other == true).all(1)
                drawn = true[order[first + _below(size, generator)]]
                other = torch.where(same[:, None], drawn, other)
            others.append(other)
        return torch.stack([true, *others], dim=1)

    def anywhere(self, true: Tensor, generator: torch.Generator) -> Tensor:
        """Draw distractors like the authors' released code: easier, since they need not be states of any game.

        A distractor is on any cell of the same road, with the heading and the goal of a fresh game on any map.
        """
        others = []
        for _ in range(self.n_candidates - 1):
            cell = torch.multinomial(self.layouts.road[true[:, 0]].float(), 1, generator=generator)[:, 0]
            fresh = self.reset(len(true), generator)
            others.append(torch.stack([true[:, 0], 4 * cell + fresh.pose[:, 0] % 4, fresh.goal[:, 0]], dim=1))
        return torch.stack([true, *others], dim=1)

    def other_distractors(self) -> dict[str, Redraw]:
        """Those of the released code, unless the game draws them anyway."""
        if self.distractors == "anywhere":
            return {}
        return {"anywhere": lambda states, generator: self.anywhere(states[:, 0], generator)}

    def to_columns(self, states: Tensor) -> dict[str, Tensor]:
        """Map, and row, column, direction and goal of the true state and of its distractors."""
        columns = {"map": states[:, 0, 0]}
        for prefix, state in zip(prefixes(states.shape[1]), states.unbind(1), strict=True):
            pose, goal = state[:, 1], state[:, 2]
            values = (pose // 4 // SIZE, pose // 4 % SIZE, pose % 4, goal // SIZE, goal % SIZE)
            columns |= {prefix + name: value for name, value in zip(STATE_COLUMNS, values, strict=True)}
        return columns

    def from_columns(self, columns: dict[str, Tensor]) -> Tensor:
        states = []
        for prefix in prefixes(self.n_candidates):
            row, column, direction, goal_row, goal_column = (columns[prefix + name] for name in STATE_COLUMNS)
            pose, goal = 4 * (SIZE * row + column) + direction, SIZE * goal_row + goal_column
            states.append(torch.stack([columns["map"], pose, goal], dim=1))
        return torch.stack(states, dim=1)

    def codes(self, states: Tensor) -> Tensor:
        """Map, pose and goal of each candidate as one number."""
        where, pose, goal = states.unbind(2)
        return (where * POSES + pose) * CELLS + goal


class DrivingEncoder(nn.Module):
    """Sums learned vectors for what is seen: a linear layer over indicators, without multiplying zeros.

    The paper's indicators are map, position, orientation and goal. Here, there is one more for where the goal is
    from the driver's seat: how many cells ahead, how many to the right. Without it agents learned nothing.
    """

    def __init__(self, maps: int, width: int) -> None:
        super().__init__()
        sizes = {"map": maps, "cell": CELLS + 1, "direction": 5, "goal": CELLS, "offset": _OFFSETS**2}
        self.seen = nn.ModuleDict({name: nn.Embedding(size, width) for name, size in sizes.items()})
        bound = sum(sizes.values()) ** -0.5  # the initialisation of a linear layer over all indicators
        for weight in self.seen.parameters():
            nn.init.uniform_(weight, -bound, bound)

    def forward(self, observation: Tensor) -> Tensor:
        """Map observations (n, 3) to (n, width)."""
        where, pose, goal = observation.unbind(1)
        gone = pose == GONE
        cell, direction = pose >> 2, torch.where(gone, 4, pose & 3)
        offset = torch.where(gone, 0, _goal_offset(cell, pose & 3, goal))
        seen = {"map": where, "cell": cell, "direction": direction, "goal": goal, "offset": offset}
        return sum(self.seen[name](value) for name, value in seen.items())


def _goal_offset(cell: Tensor, direction: Tensor, goal: Tensor) -> Tensor:
    """Where the goal is from the driver's seat, as one number (n,)."""
    south, east = goal // SIZE - cell // SIZE, goal % SIZE - cell % SIZE
    facing = direction[None]
    ahead = torch.stack([-south, east, south, -east]).gather(0, facing)[0]
    right = torch.stack([east, south, -east, -south]).gather(0, facing)[0]
    return (ahead + SIZE - 1) * _OFFSETS + right + SIZE - 1


def _below(bounds: Tensor, generator: torch.Generator) -> Tensor:
    """Random integers below each of `bounds` (n,)."""
    return (torch.rand(len(bounds), generator=generator) * bounds).long()
