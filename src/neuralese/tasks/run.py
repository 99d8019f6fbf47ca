"""One task and seed as the workflow wrote it: its files, its game, and which data it is of.

What else a stage needs of a run, it asks of a larger one: what humans said (`human.HumanRun`), both languages
(`talk.TalkRun`), or the listeners too (`judge.JudgeRun`). So a stage depends on the code that it uses alone.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import pandas as pd
import torch

from neuralese import tasks
from neuralese.games.settings import GameConfig
from neuralese.games.states import States
from neuralese.randomness import generator
from neuralese.sources.provenance import data_kind
from neuralese.storage.errors import NeuraleseError


class Run:
    """What a stage is given; nothing is read before it is asked for."""

    def __init__(
        self, task: str, files: Iterable[str | Path], seed: int | str = 0, game: Mapping[str, Any] | None = None
    ) -> None:
        """`files` are paths, known by their names; `game` is the task's section of the config's `games`."""
        self.task, self.seed, self.config = task, int(seed), GameConfig(**(game or {}))
        self.files = {Path(file).name: Path(file) for file in files}

    @classmethod
    def open(cls, results: str | Path, task: str, seed: int = 0) -> Self:
        """What a folder of results has of a task and seed, by the rules that the task has by default."""
        folder = Path(results) / task
        files = [*folder.glob("*"), *(folder / f"seed{seed}").glob("*")]
        if not files:
            raise NeuraleseError(f"{folder} holds no results; make them with: snakemake --cores all")
        return cls(task, files, seed, asdict(tasks.get(task).game))

    @cached_property
    def games(self) -> dict[str, States]:
        """The task's game, or its states, by split."""
        return tasks.part(self.task, "game").load_games(self.files, self.config)

    @property
    def states(self) -> States:
        """What models see: the same in every split."""
        return self.games["train"]

    @property
    def data(self) -> str:
        """Which kind of data it is made from."""
        return data_kind(self.files["provenance.json"])

    def generator(self, stage: str) -> torch.Generator:
        """The random numbers of a stage."""
        return generator(self.seed, stage)

    def label(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of results with whose they are."""
        return table.assign(task=self.task, seed=self.seed, data=self.data)
