"""What a person who wants to play asks for."""

from dataclasses import dataclass
from pathlib import Path

import torch


@dataclass(frozen=True)
class PlayOptions:
    """Which robot, and how; the `play` part of a task makes a sitting from it (`open_sitting`)."""

    task: str
    results: Path
    logs: Path  # the folder in which finished games are saved
    generator: torch.Generator
    seed: int = 0
    criterion: str | None = None  # used to translate; by default, ours
    steps: int | None = None  # maximum length of a game; by default, the task's choice
