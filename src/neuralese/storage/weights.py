"""Weights on disk: safetensors, with the settings that made them in the header; no pickle is ever loaded."""

import json
import logging
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import atomic
from neuralese.storage.stamps import ANEW, KEY, opened, seal, stamp

log = logging.getLogger(__name__)

NAME = "checkpoint"  # the entry of a checkpoint that holds its own name


def save_weights(path: str | Path, module: nn.Module, settings: dict) -> None:
    """Write the weights of `module` and the `settings` it was built with."""
    weights = module.state_dict()
    if wrong := _not_finite(weights):
        raise NeuraleseError(
            f"{path} was not written: its weights '{wrong}' hold NaN or infinity; lower the learning rate."
        )
    about = {"settings": json.dumps(settings, sort_keys=True), KEY: json.dumps(stamp(path))}
    with atomic(path) as temporary:
        save_file(weights, temporary, metadata=about)
        _order_header(Path(temporary))
        Path(temporary).chmod(0o644)  # safetensors makes files private, but results are shared
        seal(temporary)


def _order_header(path: Path) -> None:
    """Sort the header: safetensors writes its metadata in a different order each time."""
    with path.open("r+b") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
        if len(text) > size:
            raise ValueError(f"the header of {path.name} would no longer fit")
        file.seek(8)
        file.write(text.ljust(size))  # trailing spaces are ignored


def read_weights(path: str | Path) -> tuple[dict[str, Tensor], dict]:
    """Read weights and settings."""
    with _reading(path) as file:
        weights, settings = {name: file.get_tensor(name) for name in file.keys()}, _settings(file)  # noqa: SIM118
    if wrong := _not_finite(weights):
        raise NeuraleseError(f"{path} holds weights '{wrong}' with NaN or infinity; {ANEW}.")
    return weights, settings


def read_settings(path: str | Path) -> dict:
    """The settings with which weights were written, without the weights."""
    with _reading(path) as file:
        return _settings(file)


@contextmanager
def _reading(path: str | Path) -> Iterator[Any]:
    """An open file of weights, once verified to be the one that was written."""
    try:
        with opened(path):
            pass
        with safe_open(path, framework="pt") as file:
            yield file
    except (SafetensorError, OSError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise NeuraleseError(f"{path} holds no weights ({str(error).splitlines()[0]}); {ANEW}.") from None


def _settings(file: Any) -> dict:
    return json.loads((file.metadata() or {})["settings"])


def _not_finite(weights: Mapping[str, Any]) -> str | None:
    """The name of the first tensor that holds NaN or infinity."""
    for name, value in weights.items():
        if isinstance(value, Tensor) and value.is_floating_point() and not bool(value.isfinite().all()):
            return name
    return None


def save_checkpoint(path: Path, state: dict) -> None:
    """Write the state of a training, under its name."""
    with atomic(path) as temporary:
        torch.save({**state, NAME: path.name}, temporary)


def discard_broken(checkpoint: Path) -> None:
    """Remove a checkpoint that a failing disk cut short or changed, so that training restarts instead of failing.

    A checkpoint is written whole or not at all, and holds a checksum of each part, and its own name.
    """
    if not checkpoint.exists():
        return
    if broken := _fault(checkpoint):
        log.warning("the checkpoint %s is damaged (%s); training restarts from the beginning", checkpoint, broken)
        checkpoint.unlink()


def _fault(checkpoint: Path) -> str | None:
    """What is wrong with a checkpoint."""
    try:
        with zipfile.ZipFile(checkpoint) as parts:
            if broken := parts.testzip():
                return broken
        state = torch.load(checkpoint, weights_only=True)
        if state.get(NAME) != checkpoint.name:
            return "it belongs to another training"
        wrong = [_not_finite(state[part]) for part in ("cell", "target")]
    except Exception as error:  # whatever zipfile, pickle or torch make of wrong bytes
        return str(error).splitlines()[0] if str(error) else type(error).__name__
    return f"'{wrong[0] or wrong[1]}' holds NaN or infinity" if any(wrong) else None
