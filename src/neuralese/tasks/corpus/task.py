"""A corpus as a task: a user's own recordings, without a game."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.config.models import FitConfig, GameConfig, MessagesConfig
from neuralese.data.data_sets import DataSet
from neuralese.tasks.corpus.tables import JUDGES
from neuralese.tasks.task import FILES, Files, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from torch import Generator, Tensor

    from neuralese.speakers.traces import Traces
    from neuralese.stages.run import Run

FITTING = FitConfig(hidden=128, steps=2000, batch=512, learning_rate=0.002, faster=5.0, check_every=100, patience=5)


class Corpus(Task):
    """The recordings in a folder, or their tables alone."""

    fitting = FITTING
    files = FILES | {
        "game": ("<data>/{task}/states.parquet",),
        "robot": ("<data>/{task}/recorded.parquet",),
        "history": (),
        "judge": tuple(f"<humans>/{{task}}/seed{{seed}}/{judge}" for judge in JUDGES),
        "pictures": ("<data>/{task}/pictures.parquet",),
    }
    stages = ()
    example_names = ("state ★", "distractor")

    def __init__(self, name: str, title: str = "", licence: str = "", candidates: int = 2) -> None:
        self.name, self.title, self.data_set = name, title or name, DataSet(title, licence)
        self.game = GameConfig(candidates=candidates)

    @classmethod
    def of(cls, name: str, folder: Path) -> "Corpus":
        """The corpus in a folder."""
        from neuralese.tasks.corpus.settings import read_settings

        settings = read_settings(folder)
        return cls(name, settings.title, settings.licence, settings.candidates)

    def load_games(self, files: Files, rules: GameConfig) -> dict[str, Any]:
        """The states, the same in every split."""
        from neuralese.tasks.corpus.game import load_games

        return load_games(files, rules)

    def load_traces(self, files: Files, states: Any, split: str, generator: "Generator") -> "Traces":
        """What was said in one split, with recorded or drawn candidates."""
        from neuralese.tasks.corpus.human import load_traces

        return load_traces(files, states, split, generator)

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each state as its picture, or as a card."""
        from neuralese.tasks.corpus.pictures import pixels

        return pixels(files, codes)

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The labels of states, and their picture or colour, if they have one."""
        from neuralese.tasks.corpus.pictures import described

        return described(files, pictured, named)

    def fit_robot(self, run: "Run", fit: FitConfig, states: int) -> Any:
        """p(z | x) fitted to all recorded messages of the training split."""
        from neuralese.tasks.corpus.recorded import fit_speaker, load_recorded

        return fit_speaker(
            run.states, load_recorded(run.files["recorded.parquet"]), fit, run.generator("robot speaker")
        )

    def speak(self, run: "Run", counts: MessagesConfig) -> "tuple[pa.Table, Mapping[str, Any], Tensor]":
        """Recorded messages, and the states in which some were said."""
        from neuralese.tasks.corpus.recorded import load_recorded, take_contexts, take_messages

        recorded, random = load_recorded(run.files["recorded.parquet"]), run.generator("messages")
        messages = take_messages(run.states, recorded, counts.model_dump(), random)
        return messages, recorded.about, take_contexts(run.states, recorded, counts.contexts, random)

    def protocol(self, run: "Run") -> "pd.DataFrame":
        """The standard measures of the recorded test messages."""
        from neuralese.tasks.corpus.measured import measure
        from neuralese.tasks.corpus.recorded import load_recorded

        return measure(load_recorded(run.files["recorded.parquet"]), run.files["states.parquet"])
