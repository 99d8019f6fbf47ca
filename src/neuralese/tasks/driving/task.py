"""Driving two cars that cannot see each other: the driving game, with the recorded games of humans."""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese.config.models import Driving as Settings
from neuralese.config.models import FitConfig, GameConfig, GameRules, TrainingConfig
from neuralese.data.data_sets import Archive, DataSet
from neuralese.tasks.task import FILES, Files, Paper, Task, accuracies

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from torch import Generator, Tensor

    from neuralese.speakers.traces import Traces

DRIVING = DataSet(
    title="382 human games of the driving task, by Andreas, Dragan & Klein (2017)",
    licence="released with the paper",
    archives=(
        Archive(
            file="logs",
            mirror="neuralese-fa55efc.tar.gz",
            urls=("https://github.com/jacobandreas/neuralese/archive/fa55efcc9c7ae864e55682c306576cfc6c2234b6.tar.gz",),
            used=r"data/drive/server_logs/([^/]+\.json)$",
            content_sha256="a8526fb48ba4709181995dd9a0ddfc43f020d86bf05e1eaf664aec6b639ebcd6",
        ),
    ),
)
PAPER = Paper(
    table="2",
    belief=accuracies(0.85, 0.77, into_english=(0.50, 0.45, 0.57), into_neuralese=(0.50, 0.45, 0.61)),
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
    play = "neuralese.play.driving:DrivingSession"
    script = Path(__file__).with_name("report.js")
    example_names = ("speaker ★", "distractor")

    def embed(self, raw: Path) -> None:
        from neuralese.tasks.driving.embedded import write

        write(raw)

    def load_games(self, files: Files, rules: GameConfig) -> dict[str, Any]:
        """The game on the roads of the logged games, by the rules stored in their table; splits share it."""
        from neuralese.games.driving import DrivingGame, Layouts
        from neuralese.storage.tables import read_about, read_table
        from neuralese.tasks.driving.tables import MAPS

        path = files["maps.parquet"]
        maps = read_table(path, MAPS).to_pydict()
        layouts = Layouts.of(maps["road"], maps["starts"], maps["goals"])
        game = DrivingGame(layouts, rules.steps, rules.candidates, **read_about(path))
        return dict.fromkeys(("train", "dev", "test"), game)

    def load_traces(self, files: Files, states: Any, split: str, generator: "Generator") -> "Traces":
        from neuralese.tasks.driving.human import load_traces

        return load_traces(files, states, split, generator)

    def load_heard(self, files: Files) -> "Tensor":
        from neuralese.tasks.driving.human import load_heard

        return load_heard(files)

    def variables(self, files: Files, columns: "pd.DataFrame") -> "pd.DataFrame":
        """Where the car is, where it is heading and where it has to go."""
        away = (columns["row"] - columns["goal_row"]).abs() + (columns["col"] - columns["goal_col"]).abs()
        known = columns[["row", "col", "direction", "goal_row", "goal_col", "map"]]
        return known.assign(**{"cells to go": away})

    def pixels(self, files: Files, codes: Collection[int]) -> "dict[int, np.ndarray]":
        """Each state as a car on its road."""
        from neuralese.tasks.driving.watch import pixels

        return pixels(self.roads(files), codes)

    def described(self, files: Files, pictured: Iterable[list], named: Iterable[list]) -> dict:
        """The roads, on which the page draws any state."""
        return {"roads": self.roads(files)}

    def roads(self, files: Files) -> list[str]:
        """The roads by map, as lines of `#` and `.`."""
        from neuralese.storage.tables import read_table
        from neuralese.tasks.driving.tables import MAPS

        return read_table(files["maps.parquet"], MAPS)["road"].to_pylist()

    def watched_games(self, files: Files) -> list[dict]:
        from neuralese.storage.tables import read_table
        from neuralese.tasks.driving.tables import WATCHED
        from neuralese.tasks.driving.watch import turn_by_turn

        return turn_by_turn(read_table(files["watched.parquet"], WATCHED).to_pandas())
