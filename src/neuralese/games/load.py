"""Build the game of a task from its tables."""

from pathlib import Path

import numpy as np
import torch

from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.tables import matrix, read_table

SPLITS = ("train", "dev", "test")


def load_reference_games(items: str | Path, max_steps: int = 3) -> dict[str, ReferenceGame]:
    """One reference game for each split; all share the same items, of which each draws its own."""
    table = read_table(items, "items")
    features = torch.from_numpy(matrix(table["feature"]).copy())
    split = table["split"].to_numpy(zero_copy_only=False)
    pools = {name: torch.from_numpy(np.flatnonzero(split == name)) for name in SPLITS}
    for name, pool in pools.items():
        if len(pool) == 0:
            raise NeuraleseError(f"{items} has no item in the split '{name}'; run the stage that makes it again.")
    return {name: ReferenceGame(features, pool, max_steps) for name, pool in pools.items()}
