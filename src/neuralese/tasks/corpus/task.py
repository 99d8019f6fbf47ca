"""A corpus as a task: a user's own recordings, without a game."""

import json
import os
from pathlib import Path

from neuralese.games.settings import GameConfig
from neuralese.sources.data_sets import DataSet
from neuralese.speakers.settings import FitConfig
from neuralese.tasks import CORPORA, corpora
from neuralese.tasks.corpus.settings import read_settings
from neuralese.tasks.stages import SEED, Stage
from neuralese.tasks.stages import TASK as EACH
from neuralese.tasks.task import Task

FITTING = FitConfig(hidden=128, steps=2000, batch=512, learning_rate=0.002, faster=5.0, check_every=100, patience=5)
_STATES = ("states.parquet",)
_TALK = ("messages.parquet", "contexts.parquet", "robot_speaker.safetensors", "human_speaker.safetensors")


def task_of(name: str) -> Task:
    """The corpus of this name."""
    settings = read_settings(Path(corpora()[name]))
    return Task(
        name=name,
        title=settings.title,
        data_set=DataSet(settings.title, settings.licence),
        game=GameConfig(candidates=settings.candidates),
        fitting=FITTING,
        game_files=_STATES,
        human_files=("traces.parquet", "inventory.parquet"),
        picture_files=("pictures.parquet",),
        agent_files=(),
        history_files=(),
        made_files=(),
        rules=Path("tasks/corpus.smk"),
        stages=STAGES if name == next(iter(corpora())) else (),
        example_names=("state ★", "distractor"),
    )


_EVERY = tuple(json.loads(os.environ.get(CORPORA, "{}")))  # all corpora share these stages
STAGES = (
    Stage(
        "read_corpus",
        EACH,
        (),
        (
            "states.parquet",
            "recorded.parquet",
            "inventory.parquet",
            "traces.parquet",
            "utterances.parquet",
            "pictures.parquet",
            "provenance.json",
        ),
        ("corpora",),
        tasks=_EVERY,
    ),
    Stage(
        "fit_recorded_speaker",
        SEED,
        (*_STATES, "recorded.parquet"),
        ("robot_speaker.safetensors",),
        ("speakers", "games"),
        tasks=_EVERY,
    ),
    Stage(
        "take_messages",
        SEED,
        (*_STATES, "recorded.parquet"),
        ("messages.parquet", "contexts.parquet"),
        ("messages", "games"),
        tasks=_EVERY,
    ),
    Stage(
        "measure_messages",
        SEED,
        (*_STATES, "recorded.parquet", "provenance.json"),
        ("protocol.parquet", "protocol.png"),
        tasks=_EVERY,
    ),
    Stage(
        "compose_phrases",
        SEED,
        (*_STATES, "traces.parquet", "inventory.parquet", *_TALK, "criteria.parquet"),
        ("synthesis.parquet", "bags.parquet"),
        ("synthesis", "dictionary", "games"),
        tasks=_EVERY,
    ),
)
