"""The facts of a task: what is particular to one study, other than code, which is in its parts."""

from dataclasses import dataclass, field
from pathlib import Path

from neuralese.config.models import FitConfig, GameConfig, GameRules, TrainingConfig
from neuralese.config.section import Section
from neuralese.evaluate.paper import Paper
from neuralese.sources.data_sets import DataSet
from neuralese.tasks.stages import Stage


@dataclass(frozen=True)
class Task:
    """One study, end to end."""

    name: str  # of its folder below the results, and of its section of the config
    title: str  # in headings
    data_set: DataSet  # where its raw data comes from
    settings: Section | None = None  # its own section of the config, with all defaults
    game: GameRules = field(default_factory=GameConfig)  # defaults of the sections that every task has
    training: TrainingConfig = field(default_factory=TrainingConfig)
    fitting: FitConfig = field(default_factory=FitConfig)
    game_files: tuple[str, ...] = ("items.parquet",)  # what its game is built from
    human_files: tuple[str, ...] = ("traces.parquet", "inventory.parquet")  # and what humans said in it
    variable_files: tuple[str, ...] = ()  # further files for its variables
    picture_files: tuple[str, ...] = ()  # and for its pictures
    agent_files: tuple[str, ...] = ("agent.safetensors",)  # of a seed; none if its messages are recorded
    history_files: tuple[str, ...] = ("history.parquet",)
    judge_files: tuple[str, ...] = ()  # of a seed: p(z | x) that judge translations, if not the one that translates
    made_files: tuple[str, ...] = ("new_messages.parquet",)  # of a seed: new messages
    watched_files: tuple[str, ...] = ()  # of a seed: the games that the report shows
    rules: Path | None = None  # a file of rules for its own stages, absolute or in `workflow/rules`
    stages: tuple[Stage, ...] = ()  # which are in it
    paper: Paper | None = None  # the paper's results for it
    script: Path | None = None  # for the report, if the report's own does not show its states
    example_names: tuple[str, str] = ("target ★", "other")  # the true state and another, above example pictures
