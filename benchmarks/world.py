"""Steps of the batched driving world, compared with a plain Python loop over the same rules."""

import numpy as np
import torch
from measure import peak_megabytes, seconds

from neuralese.games.driving import DrivingGame, Layouts
from neuralese.tasks.driving.embedded import MAPS, cells, move

LOOP = 2000  # steps of the plain loop
COLUMNS = {
    "games at once": "batch",
    "steps/s": "steps_a_second",
    "plain loop, steps/s": "loop_steps_a_second",
    "times as fast": "times_loop",
    "peak MB": "megabytes",
}


def cases(quick: bool) -> list[dict]:
    """Growing batches."""
    return [{"batch": 64, "steps": 5}] if quick else [{"batch": batch, "steps": 100} for batch in (128, 1024, 4096)]


def layouts() -> Layouts:
    """The embedded maps."""
    return Layouts(
        road=torch.tensor([[cell == "#" for row in road for cell in row] for road, _, _ in MAPS]),
        starts=[torch.tensor([4 * (8 * r + c) + d for r, c, d in starts]) for _, starts, _ in MAPS],
        goals=[torch.tensor([8 * r + c for r, c in goals]) for _, _, goals in MAPS],
    )


def measure(batch: int, steps: int) -> dict[str, float]:
    """Play random actions in both."""
    generator = torch.Generator().manual_seed(0)
    game = DrivingGame(layouts())
    actions = torch.randint(4, (steps, batch, 2), generator=generator)

    def batched() -> None:
        world = game.reset(batch, generator)
        for each in actions:
            world, _ = game.step(world, each)

    taken, looped = seconds(batched, plain_loop, repeats=5)
    rate, loop_rate = batch * steps / taken, LOOP / looped
    return {
        "steps_a_second": rate,
        "loop_steps_a_second": loop_rate,
        "times_loop": rate / loop_rate,
        "megabytes": peak_megabytes(),
    }


def plain_loop() -> None:
    """Move two cars and check whether they touch, without rewards: less than a step of the game."""
    poses = [tuple(pose) for pose in MAPS[0][1][:2]]
    for one, other in np.random.default_rng(0).integers(4, size=(LOOP, 2)).tolist():
        poses = [move(poses[0], one), move(poses[1], other)]
        cells(poses[0]) & cells(poses[1])
