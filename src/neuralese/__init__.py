"""Translate what learned agents say to each other into English, and back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralese.recording import Recording
    from neuralese.stages.run import open_run
    from neuralese.tasks.corpus.read import read_corpus
    from neuralese.translator import Translator

__all__ = ["Recording", "Translator", "open_run", "read_corpus"]
PLACES = {
    "Recording": "neuralese.recording",
    "Translator": "neuralese.translator",
    "open_run": "neuralese.stages.run",
    "read_corpus": "neuralese.tasks.corpus.read",
}


def __getattr__(name: str) -> Any:
    """Import a public name, and what it needs, when it is first used."""
    if name in PLACES:
        return getattr(import_module(PLACES[name]), name)
    raise AttributeError(f"module 'neuralese' has no attribute '{name}'")
