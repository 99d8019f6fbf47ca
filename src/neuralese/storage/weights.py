"""Weights on disk: safetensors, with the settings that made them in the header; no pickle is ever loaded."""

import json
import logging
import zipfile
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import atomic

log = logging.getLogger(__name__)


def save_weights(path: str | Path, module: nn.Module, settings: dict) -> None:
    """Write the weights of `module` and the `settings` it was built with."""
    with atomic(path) as temporary:
        save_file(module.state_dict(), temporary, metadata={"settings": json.dumps(settings, sort_keys=True)})
        Path(temporary).chmod(0o644)  # safetensors lets nobody else read them, but results are shared


def read_weights(path: str | Path) -> tuple[dict[str, Tensor], dict]:
    """Read weights and settings."""
    try:
        with safe_open(path, framework="pt") as file:
            settings = (file.metadata() or {})["settings"]
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(settings)  # noqa: SIM118
    except (SafetensorError, FileNotFoundError, KeyError, json.JSONDecodeError) as error:
        raise NeuraleseError(f"{path} holds no weights ({error}); delete it and run snakemake again.") from None


def read_settings(path: str | Path) -> dict:
    """The settings with which weights were written, without the weights."""
    try:
        with safe_open(path, framework="pt") as file:
            return json.loads((file.metadata() or {})["settings"])
    except (SafetensorError, FileNotFoundError, KeyError, json.JSONDecodeError) as error:
        raise NeuraleseError(f"{path} holds no weights ({error}); delete it and run snakemake again.") from None


def discard_broken(checkpoint: Path) -> None:
    """Remove a checkpoint that a failing disk cut short or changed, so that training begins again instead of failing.

    A checkpoint is written whole or not at all, and holds a checksum of each of its parts.
    """
    if not checkpoint.exists():
        return
    try:
        with zipfile.ZipFile(checkpoint) as parts:
            broken = parts.testzip()
    except (zipfile.BadZipFile, EOFError) as error:
        broken = str(error)
    if broken:
        log.warning("the checkpoint %s is damaged (%s); this training begins again at its start", checkpoint, broken)
        checkpoint.unlink()
