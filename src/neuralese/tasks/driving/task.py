"""Driving two cars that cannot see each other: the driving game, with the recorded games of humans."""

from pathlib import Path

from neuralese.agents.settings import TrainingConfig
from neuralese.evaluate.paper import Paper
from neuralese.games.settings import GameConfig
from neuralese.speakers.settings import FitConfig
from neuralese.tasks.driving.settings import Driving
from neuralese.tasks.driving.source import DRIVING
from neuralese.tasks.stages import SEED, Stage
from neuralese.tasks.stages import TASK as EACH
from neuralese.tasks.task import Task

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

_OWN = ("driving",)
_GAME = ("maps.parquet",)
_HUMAN = ("traces.parquet", "inventory.parquet", "games.parquet", "turns.parquet", "words.parquet")
_MODELS = ("contexts.parquet", "robot_speaker.safetensors", "human_speaker.safetensors")
_RELAYED = ("provenance.json", "agent.safetensors", "messages.parquet", "new_messages.parquet", *_MODELS)
_PLAY = ("provenance.json", "agent.safetensors", "messages.parquet", "dictionary.parquet", "utterances.parquet")

TASK = Task(
    name="driving",
    title="Driving",
    data_set=DRIVING,
    settings=Driving(),
    game=GameConfig(steps=16),
    training=TrainingConfig(
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
    ),
    fitting=FitConfig(batch=512, learning_rate=0.001, check_every=50, patience=8),  # few games, soon overfitted
    game_files=_GAME,
    human_files=_HUMAN,
    watched_files=("watched.parquet",),
    rules=Path("tasks/driving.smk"),
    stages=(
        Stage(
            "parse_driving",
            EACH,
            ("raw",),
            (
                "maps.parquet",
                "games.parquet",
                "turns.parquet",
                "words.parquet",
                "inventory.parquet",
                "traces.parquet",
                "utterances.parquet",
                "provenance.json",
            ),
            _OWN,
            tasks=_OWN,
        ),
        Stage(
            "evaluate_behavior",
            SEED,
            (*_GAME, *_HUMAN, *_PLAY),
            ("behavior_{split}.parquet",),
            ("messages", "games", "evaluation"),
            tasks=_OWN,
            job="evaluate_behavior_{split}",
        ),
        Stage(
            "train_silent",
            SEED,
            (*_GAME, "provenance.json"),
            ("silent_agent.safetensors", "silent_history.parquet"),
            ("agent", "training", "games"),
            tasks=_OWN,
        ),
        Stage(
            "choose_relay",
            SEED,
            (*_GAME, *_HUMAN, *_RELAYED, "human_listener.safetensors"),
            ("relay_choice.parquet",),
            (*_OWN, "criteria", "games"),
            tasks=_OWN,
        ),
        Stage(
            "relay_driving",
            SEED,
            (*_GAME, *_HUMAN, *_RELAYED, "human_listener.safetensors", "relay_choice.parquet"),
            ("relay.parquet",),
            (*_OWN, "criteria", "evaluation", "games"),
            tasks=_OWN,
        ),
        Stage(
            "fit_driver",
            SEED,
            (*_GAME, *_HUMAN, "provenance.json"),
            ("driver.safetensors", "driver.json"),
            (*_OWN, "games"),
            tasks=_OWN,
        ),
        Stage(
            "listen_driving",
            SEED,
            (*_GAME, *_HUMAN, *_RELAYED, "driver.safetensors", "relay_choice.parquet"),
            ("listening.parquet",),
            (*_OWN, "criteria", "evaluation", "games"),
            tasks=_OWN,
        ),
        Stage(
            "watch_driving",
            SEED,
            (*_GAME, *_HUMAN, *_PLAY, *_MODELS, "new_messages.parquet", "relay_choice.parquet"),
            ("watched.parquet", "game_robots.png", "game_mixed.png", "game_robots.gif"),
            (*_OWN, "criteria", "examples", "games"),
            tasks=_OWN,
            job="watch",
        ),
    ),
    paper=PAPER,
    script=Path(__file__).with_name("report.js"),
    example_names=("speaker ★", "distractor"),
)
