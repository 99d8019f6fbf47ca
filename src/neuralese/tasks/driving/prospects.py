"""What the map tells anybody about an action: where it leads, and how far the goal is from there along the road."""

import torch
from torch import Tensor

from neuralese.tasks.driving import roads
from neuralese.tasks.driving.roads import CELLS, GONE, POSES, Layouts

PROSPECTS = ("off the road", "moves nearer", "arrives", "waits")
FARTHEST = 24  # maximum distance in moves, also used for what cannot be reached


def moves_to_go(road: Tensor) -> Tensor:
    """Number of moves from any pose to any goal along the road, (maps, CELLS, POSES)."""
    moved, head = roads.move_table()[:, 1:], torch.arange(POSES) // 4  # (POSES, 3)
    arrived = head == torch.arange(CELLS)[:, None]  # (CELLS, POSES)
    go = torch.where(arrived, 0, FARTHEST).expand(len(road), -1, -1)
    on_road = road[:, None, head] | arrived  # (maps, CELLS, POSES)
    for _ in range(FARTHEST):
        ahead = torch.where(on_road, go, FARTHEST)[:, :, moved].amin(3)
        go = torch.minimum(go, ahead + 1)
    return go


class Prospects:
    """The prospects of each action of those who see (n, 3): (n, actions, prospects)."""

    def __init__(self, layouts: Layouts) -> None:
        self.moved, self.head = roads.move_table(), torch.arange(POSES) // 4
        self.off_road = roads.off_road_table(layouts.road).float()
        self.to_go = moves_to_go(layouts.road).float()

    def __call__(self, seen: Tensor) -> Tensor:
        """See above; those who have left the road have the prospects of any car."""
        where, pose, goal = seen.unbind(1)
        pose = torch.where(pose == GONE, 0, pose)
        after, there, towards = self.moved[pose], where[:, None], goal[:, None]  # (n, actions), (n, 1), (n, 1)
        waits = torch.zeros(after.shape).index_fill(1, torch.tensor([roads.WAIT]), 1.0)
        return torch.stack(
            [
                self.off_road[there, after],
                self.to_go[there, towards, pose[:, None]] - self.to_go[there, towards, after],
                (self.head[after] == towards).float(),
                waits,
            ],
            dim=2,
        )
