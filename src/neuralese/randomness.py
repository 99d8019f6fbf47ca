"""One seed in the config, one generator for each stage, no global state."""

import hashlib

import torch


def generator(seed: int, stage: str) -> torch.Generator:
    """A generator for one stage: other stages and other seeds draw other numbers."""
    digest = hashlib.sha256(f"{stage} {seed}".encode()).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:7]))
