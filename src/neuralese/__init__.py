"""Translate what learned agents say to each other into English, and back."""

from typing import Any

__all__ = ["Translator"]


def __getattr__(name: str) -> Any:
    """Import the translator, and torch with it, only if somebody asks for it."""
    if name == "Translator":
        from neuralese.translator import Translator

        return Translator
    raise AttributeError(f"module 'neuralese' has no attribute '{name}'")
