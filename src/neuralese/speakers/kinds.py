"""Speakers of languages that users bring, on disk: a file itself says which kind of speaker it holds."""

from pathlib import Path
from typing import Any

from neuralese.speakers.best import MakeEncoder
from neuralese.speakers.noise import GaussianSpeaker
from neuralese.speakers.symbols import AutoregressiveSpeaker, PositionSpeaker
from neuralese.storage.weights import read_weights, save_weights

KINDS = {each.kind: each for each in (PositionSpeaker, AutoregressiveSpeaker, GaussianSpeaker)}


def save_speaker(path: str | Path, speaker: Any) -> None:
    """Write a speaker, its kind and its settings."""
    save_weights(path, speaker, {"kind": speaker.kind, **speaker.settings})


def load_speaker(path: str | Path, encoder: MakeEncoder) -> Any:
    """Read a `Speaker` of any kind that sees through what `encoder` makes."""
    weights, settings = read_weights(path)
    speaker = KINDS[settings.pop("kind")](encoder, **settings)
    speaker.load_state_dict(weights)
    return speaker.eval()
