"""One task and seed as the workflow wrote it: its files, its game, and which data it comes from.

Stages that need more of a run use a larger one: what humans said (`human.HumanRun`), both languages
(`talk.TalkRun`), or the listeners too (`judge.JudgeRun`). So a stage depends only on the code it uses.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import torch

from neuralese import tasks
from neuralese.config.models import GameConfig
from neuralese.randomness import generator
from neuralese.sources.provenance import PEOPLE, data_kind, read_provenance
from neuralese.storage.made import read_made


def game_of(made: str | Path) -> dict[str, Any]:
    """The settings of the game with which a file of a run was made, if it says so."""
    return (read_made(made).get("settings") or {}).get("game") or {}


class Run:
    """What a stage is given; nothing is read before it is needed."""

    def __init__(
        self, task: str, files: Iterable[str | Path], seed: int | str = 0, game: Mapping[str, Any] | None = None
    ) -> None:
        """`files` are paths, known by their names; `game` is the task's section of the config's `games`."""
        self.task, self.seed, self.config = task, int(seed), GameConfig(**(game or {}))
        self.files = {Path(file).name: Path(file) for file in files}

    @cached_property
    def games(self) -> dict[str, Any]:
        """The task's game (`games.game.Game`), or only its states (`States`), by split, depending on the task."""
        return tasks.part(self.task, "game").load_games(self.files, self.config)

    @property
    def states(self) -> Any:
        """What models see (`games.states.States`): the same in every split."""
        return self.games["train"]

    @property
    def data(self) -> str:
        """The kind of data it is made from."""
        return data_kind(self.files["provenance.json"])

    @property
    def words(self) -> str:
        """Who says the phrases: people, or the attributes of the states if nobody said anything."""
        return read_provenance(self.files["provenance.json"]).get("speaker", PEOPLE)

    def generator(self, stage: str) -> torch.Generator:
        """The random numbers of a stage."""
        return generator(self.seed, stage)

    def label(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table of results with its task, seed and data."""
        return table.assign(task=self.task, seed=self.seed, data=self.data)
