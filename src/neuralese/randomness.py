"""One seed in the config, one generator for each stage, no global state."""

import hashlib
from collections.abc import Callable
from typing import TypeVar

import torch

Made = TypeVar("Made")


def generator(seed: int, stage: str) -> torch.Generator:
    """A generator for one stage: each stage and seed draws different numbers."""
    digest = hashlib.sha256(f"{stage} {seed}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:7]))


def seeded(make: Callable[[], Made], generator: torch.Generator) -> Made:
    """Call `make`, which draws initial weights, with torch's global state set from `generator`, then restored."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(torch.randint(2**62, (), generator=generator)))
        return make()
