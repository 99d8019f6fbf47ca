"""Stages that only driving has: robots drive with people and with each other, and can be watched."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from neuralese.stages.evaluate import Families
from neuralese.stages.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from neuralese.tasks.driving.model_human import HumanDriver


def evaluate_behavior(run: Run, split: str, fresh: int, resamples: int) -> "pd.DataFrame":
    """How robots drive with replayed humans of one split, whose messages are translated."""
    import numpy as np

    from neuralese.storage.tables import read_about
    from neuralese.tasks.driving import behavior
    from neuralese.tasks.driving.human import load_humans
    from neuralese.tasks.driving.tables import GAMES

    random = run.generator(f"behavior {split}")
    criteria = read_about(run.files["dictionary.parquet"])["criteria"]["H->R"]
    voices = behavior.voices(run.table("dictionary.parquet"), criteria, run.said["train"], random)
    assert run.silence is not None  # drivers are silent at times
    humans = load_humans(run.files, split, run.parts, run.silence)
    played = behavior.evaluate_behavior(run.cell, run.games[split], humans, voices, fresh, random)
    played += behavior.logged_games(run.table("games.parquet", GAMES), split)
    return run.label(behavior.behavior_table(played, resamples, np.random.default_rng(run.seed)))


def choose_relay(run: Run, criteria: Families, relay: Mapping[str, Any]) -> "pd.DataFrame":
    """Which members of each family translate between two robots, chosen on dev games."""
    from neuralese.config.models import RelayConfig
    from neuralese.tasks.driving.relay_choice import choose_relay

    return choose_relay(run, criteria, RelayConfig(**relay))


def relay_driving(
    run: Run, choice: "pd.DataFrame", criteria: Families, relay: Mapping[str, Any], resamples: int
) -> "pd.DataFrame":
    """How two robots drive with every message translated into English and back."""
    from neuralese.config.models import RelayConfig
    from neuralese.tasks.driving.relay_table import play_relays, relay_table

    return run.label(relay_table(play_relays(run, choice, criteria, RelayConfig(**relay)), resamples))


def fit_driver(run: Run, fit: Mapping[str, Any]) -> "tuple[HumanDriver, dict]":
    """The model human driver, and what words add to the prediction of held-out moves."""
    from neuralese.tasks.driving.model_human import FITTING, fit_driver, load_moves, measured

    moves = {split: load_moves(run.files, split) for split in ("train", "dev", "test")}
    random = run.generator("human driver")
    driver = fit_driver(run.states, moves["train"], moves["dev"], FITTING.model_copy(update=fit), random)
    return driver, measured(driver, moves, run.heard, run.phrases) | {"data": run.data}


def listen_driving(
    run: Run, driver: "HumanDriver", criteria: Families, relay: Mapping[str, Any], resamples: int
) -> "pd.DataFrame":
    """How a robot drives with a model human who listens."""
    import numpy as np

    from neuralese.config.models import RelayConfig
    from neuralese.tasks.driving.listening import evaluate_listening, listening_table
    from neuralese.tasks.driving.loop import Robot
    from neuralese.tasks.driving.tables import RELAY_CHOICE

    choice = run.table("relay_choice.parquet", RELAY_CHOICE)
    played = evaluate_listening(run, Robot(run.cell), driver, choice, criteria, RelayConfig(**relay))
    return run.label(listening_table(played, resamples, np.random.default_rng(run.seed)))


def watch_driving(
    run: Run, criteria: Families, relay: Mapping[str, Any], criterion: str, number: int
) -> "pd.DataFrame":
    """A few games turn by turn, with what was said in English."""
    import pandas as pd

    from neuralese.config.models import RelayConfig
    from neuralese.tasks.driving.loop import Robot
    from neuralese.tasks.driving.tables import RELAY_CHOICE
    from neuralese.tasks.driving.watch import watch_games, watch_side_by_side

    choice = run.table("relay_choice.parquet", RELAY_CHOICE)
    relayed = watch_side_by_side(run, Robot(run.cell), choice, criteria, RelayConfig(**relay), number)
    return pd.concat([watch_games(run, run.cell, criterion, number), relayed], ignore_index=True)


def draw_games(run: Run, watched: "pd.DataFrame", criterion: str, robots: str, mixed: str, animation: str) -> None:
    """Draw the first game of two robots, as a strip and moving, and that of a robot with a person."""
    from neuralese.tasks.driving.tables import MAPS
    from neuralese.tasks.driving.watch import draw_animation, draw_strip

    roads = run.table("maps.parquet", MAPS)["road"].tolist()
    for pair, draw, path in (
        ("R/R", draw_strip, robots),
        ("R/H", draw_strip, mixed),
        ("R/R", draw_animation, animation),
    ):
        first = watched[(watched["pair"] == pair) & (watched["game"] == 0)]
        red, blue = first["who"].iloc[:2]
        draw(path, first, roads, f"red: {red}, blue: {blue} (by {criterion}, data: {run.data})")
