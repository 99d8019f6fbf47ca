"""Finished runs, opened for inspection in a notebook or for playing."""

from pathlib import Path
from typing import TypeVar

from neuralese import tasks
from neuralese.storage.errors import NeuraleseError
from neuralese.tasks.run import Run

Kind = TypeVar("Kind", bound=Run)


def open_run(kind: type[Kind], results: str | Path, task: str, seed: int = 0) -> Kind:
    """What a folder of results holds for a task and seed, by the task's default rules."""
    folder = Path(results) / task
    files = [*folder.glob("*"), *(folder / f"seed{seed}").glob("*")]
    if not files:
        raise NeuraleseError(f"{folder} holds no results; make them with: neuralese run")
    return kind(task, files, seed, tasks.get(task).game.model_dump())
