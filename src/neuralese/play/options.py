"""What a person asks for who wants to play."""

from dataclasses import dataclass
from pathlib import Path

import torch


@dataclass(frozen=True)
class PlayOptions:
    """Of which robot, and how; the part `play` of a task makes a sitting of it (`open_sitting`)."""

    task: str
    results: Path
    logs: Path  # the folder in which finished games are saved
    generator: torch.Generator
    seed: int = 0
    criterion: str | None = None  # by which is translated; ours, if none is named
    steps: int | None = None  # of the longest game; as the task thinks best, if none is given
