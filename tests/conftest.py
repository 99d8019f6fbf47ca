"""What several tests need: the real data, if there is a mirror of it, and a browser."""

import os
import shutil
from pathlib import Path

import hypothesis
import pytest
import torch

from neuralese import tasks

hypothesis.settings.register_profile("busy", deadline=None)  # a machine may be slow, and nothing is timed
hypothesis.settings.load_profile("busy")

CHROMIUM = shutil.which("chromium")
QUIET = ("gpu", "quic", "background-networking", "component-update", "sync")


@pytest.fixture(scope="session")
def mirror() -> Path:
    folder = os.environ.get("NEURALESE_MIRROR")
    if not folder:
        pytest.skip("NEURALESE_MIRROR is not set, so there is no real data to test on")
    return Path(folder)


@pytest.fixture(autouse=True)
def forget_corpora():
    """What one test made known as a task is none in the next."""
    yield
    if tasks.corpora():
        tasks.use_corpora({})


@pytest.fixture
def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


@pytest.fixture(scope="session")
def browser():
    """Chromium, without a window and without traffic of its own."""
    if not CHROMIUM:
        pytest.skip("no chromium is installed")
    from playwright.sync_api import sync_playwright

    arguments = ["--headless", "--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in QUIET)]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
