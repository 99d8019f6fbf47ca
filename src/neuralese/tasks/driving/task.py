"""Driving two cars that cannot see each other: the driving game, with the recorded games of humans."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.config.models import Driving as Settings
from neuralese.config.models import FitConfig, GameConfig, GameRules, TrainingConfig
from neuralese.evaluate.paper import Paper
from neuralese.tasks.driving.source import DRIVING
from neuralese.tasks.task import FILES, Files, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from torch import Generator, Tensor

    from neuralese.play.options import PlayOptions
    from neuralese.speakers.traces import Traces

PAPER = Paper(
    table="2",
    belief={
        ("R", "R", "none"): 0.85,
        ("H", "H*", "none"): 0.77,
        ("R", "H*", "random"): 0.50,
        ("R", "H*", "direct"): 0.45,
        ("R", "H*", "belief"): 0.57,
        ("H", "R", "random"): 0.50,
        ("H", "R", "direct"): 0.45,
        ("H", "R", "belief"): 0.61,
    },
    distractors="anywhere",
    behavior_table="3",
    behavior={
        ("R/R", "none"): (1.93, 0.71),
        ("H/H all", "none"): (None, 0.77),  # 296 of all 382 games
        ("R/H", "random"): (1.35, 0.64),
        ("R/H", "direct"): (1.49, 0.67),
        ("R/H", "belief"): (1.54, 0.67),
    },
)


class Driving(Task):
    """Driving two cars that cannot see each other: the driving game, with the recorded games of humans."""

    name = "driving"
    title = "Driving"
    data_set = DRIVING
    settings = Settings()
    game = GameRules(steps=16)
    training = TrainingConfig(
        updates=1400,
        embedded_updates=600,
        batch=64,
        new_games=64,
        updates_per_round=4,
        learning_rate=0.001,
        final_rate=0.05,
        explore=300,
        double=True,
        target_every=50,
    )
    fitting = FitConfig(batch=512, learning_rate=0.001, check_every=50, patience=8)  # few games, soon overfitted
    files = FILES | {
        "game": ("<data>/{task}/maps.parquet",),
        "human": (*FILES["human"], *(f"<data>/{{task}}/{table}.parquet" for table in ("games", "turns", "words"))),
        "watched": ("<results>/{task}/seed{seed}/watched.parquet",),
    }
    stages = ("train_agent", "relay", "behavior", "listening")
    rules: Mapping[str, Path] = {"results": Path("tasks/driving.smk")}
    paper = PAPER
    script = Path(__file__).with_name("report.js")
    example_names = ("speaker ★", "distractor")

    def embed(self, raw: Path) -> None:
        """Write the stand-in."""
        from neuralese.tasks.driving.embedded import write

        write(raw)

    def load_games(self, files: Files, rules: GameConfig) -> dict[str, Any]:
        """The driving game, by split."""
        from neuralese.tasks.driving.game import load_games

        return load_games(files, rules)

    def load_traces(self, files: Files, states: Any, split: str, generator: "Generator") -> "Traces":
        """What was said in the games of one split."""
        from neuralese.tasks.driving.human import load_traces

        return load_traces(files, states, split, generator)

    def load_heard(self, files: Files) -> "Tensor":
        """The words of each phrase of the inventory."""
        from neuralese.tasks.driving.human import load_heard

        return load_heard(files)

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """Where cars are and where they go."""
        from neuralese.tasks.driving.variables import variables

        return variables(files, columns)

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each state as a car on its road."""
        from neuralese.tasks.driving.pictures import pixels

        return pixels(files, codes)

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The roads, on which the page draws any state."""
        from neuralese.tasks.driving.pictures import described

        return described(files, pictured, named)

    def watched_games(self, files: Files) -> list[dict]:
        """Games turn by turn."""
        from neuralese.tasks.driving.watched import watched_games

        return watched_games(files)

    def open_sitting(self, options: "PlayOptions") -> Any:
        """A game in fog with a trained driver."""
        from neuralese.tasks.driving.play import open_sitting

        return open_sitting(options)
