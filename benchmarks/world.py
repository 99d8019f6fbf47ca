"""How fast the batched driving world is, on one core, beside a plain Python loop over the same rules.

python benchmarks/world.py
"""

import time

import numpy as np
import torch

from neuralese.data.embedded.driving import MAPS, cells, move
from neuralese.games.driving import DrivingGame
from neuralese.games.roads import Layouts

BATCH, STEPS = 4096, 200


def layouts() -> Layouts:
    """The embedded maps."""
    return Layouts(
        road=torch.tensor([[cell == "#" for row in road for cell in row] for road, _, _ in MAPS]),
        starts=[torch.tensor([4 * (8 * r + c) + d for r, c, d in starts]) for _, starts, _ in MAPS],
        goals=[torch.tensor([8 * r + c for r, c in goals]) for _, _, goals in MAPS],
    )


def batched_rate(rounds: int = 5) -> float:
    """Game steps a second, the best of some rounds."""
    generator = torch.Generator().manual_seed(0)
    game = DrivingGame(layouts())
    actions = torch.randint(4, (STEPS, BATCH, 2), generator=generator)
    best = 0.0
    for _ in range(rounds):
        world = game.reset(BATCH, generator)
        started = time.perf_counter()
        for step in range(STEPS):
            world, _ = game.step(world, actions[step])
        best = max(best, BATCH * STEPS / (time.perf_counter() - started))
    return best


def loop_rate(games: int = 500) -> float:
    """Game steps a second of a loop that moves two cars and compares their cells, without rewards."""
    generator = np.random.default_rng(0)
    started = time.perf_counter()
    for _ in range(games):
        poses = [tuple(pose) for pose in MAPS[0][1][:2]]
        for one, other in generator.integers(4, size=(20, 2)).tolist():
            poses = [move(poses[0], one), move(poses[1], other)]
            cells(poses[0]) & cells(poses[1])
    return games * 20 / (time.perf_counter() - started)


if __name__ == "__main__":
    torch.set_num_threads(1)
    batched, loop = batched_rate(), loop_rate()
    print(f"batched: {batched / 1e6:.1f} million game steps/s at batch {BATCH}, one core")
    print(f"plain Python loop: {loop / 1e6:.3f} million game steps/s ({batched / loop:.0f} times slower)")
