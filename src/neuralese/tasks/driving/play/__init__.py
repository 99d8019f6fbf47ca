"""Drive one of two cars in fog: type short messages to the robot that drives the other."""

from pathlib import Path

import torch

from neuralese.tasks.driving.play.robot import STEPS, load_robot
from neuralese.tasks.driving.play.sitting import Sitting


def open_sitting(
    results: Path, seed: int, criterion: str | None, logs: Path, generator: torch.Generator, steps: int | None = None
) -> Sitting:
    """Games with the robot that was trained with a seed; finished ones are saved in the folder `logs`."""
    return Sitting(load_robot(results, seed, criterion, steps or STEPS), logs, generator)
