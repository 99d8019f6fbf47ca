"""Translate what learned agents say to each other into English, and back."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralese.translator import Translator

__all__ = ["Translator"]


def __getattr__(name: str) -> Any:
    """Import the translator, and torch with it, only on demand: no stage needs it."""
    if name == "Translator":
        return import_module("neuralese.translator").Translator
    raise AttributeError(f"module 'neuralese' has no attribute '{name}'")
