"""Naming colours: a reference game over the answers of the XKCD colour survey."""

from neuralese.agents.settings import TrainingConfig
from neuralese.evaluate.paper import Paper
from neuralese.tasks.colors.settings import Colors
from neuralese.tasks.colors.source import XKCD
from neuralese.tasks.stages import TASK as EACH
from neuralese.tasks.stages import Stage
from neuralese.tasks.task import Task

PAPER = Paper(
    table="1a",
    belief={
        ("R", "R", "none"): 1.00,
        ("H", "H*", "none"): 0.83,
        ("R", "H*", "random"): 0.50,
        ("R", "H*", "direct"): 0.72,
        ("R", "H*", "belief"): 0.86,
        ("H", "R", "random"): 0.50,
        ("H", "R", "direct"): 0.70,
        ("H", "R", "belief"): 0.73,
    },
)

TASK = Task(
    name="colors",
    title="Colours",
    data_set=XKCD,
    settings=Colors(),
    training=TrainingConfig(
        updates=800, embedded_updates=550, batch=128, new_games=128, updates_per_round=4, explore=500
    ),
    variable_files=("colors.parquet",),
    picture_files=("colors.parquet", "traces.parquet", "inventory.parquet"),
    stages=(
        Stage(
            "parse_colors",
            EACH,
            ("raw",),
            (
                "colors.parquet",
                "items.parquet",
                "inventory.parquet",
                "traces.parquet",
                "utterances.parquet",
                "provenance.json",
            ),
            ("colors",),
            tasks=("colors",),
        ),
    ),
    paper=PAPER,
)
