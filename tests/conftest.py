"""What several tests need: the real data, if a mirror of it is there."""

import os
from pathlib import Path

import pytest
import torch


@pytest.fixture(scope="session")
def mirror() -> Path:
    folder = os.environ.get("NEURALESE_MIRROR")
    if not folder:
        pytest.skip("NEURALESE_MIRROR is not set, so there is no real data to test on")
    return Path(folder)


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)
