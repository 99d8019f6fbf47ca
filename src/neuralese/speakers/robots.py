"""The model of how an agent speaks, of any kind that a file holds."""

from pathlib import Path
from typing import Any

from neuralese.games.states import States
from neuralese.speakers.kinds import KINDS, load_speaker, save_speaker
from neuralese.speakers.models import RobotSpeaker, load_model, save_model
from neuralese.storage.weights import read_settings


def save_robot(path: str | Path, speaker: Any) -> None:
    """Write p(z | x) of an agent."""
    (save_model if isinstance(speaker, RobotSpeaker) else save_speaker)(path, speaker)


def load_robot(path: str | Path, states: States) -> Any:
    """p(z | x), a `Speaker`, of an agent whose messages are vectors or symbols."""
    if read_settings(path).get("kind") in KINDS:
        return load_speaker(path, states.encoder)
    return load_model(path, RobotSpeaker, states)
