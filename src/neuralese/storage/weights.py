"""Weights on disk: safetensors, with the settings that made them in the header; no pickle is ever loaded.

The header also holds a digest of itself and of the tensors, which is verified when they are loaded. This module loads
torch only where it is needed.
"""

import hashlib
import io
import json
import logging
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, deserialize

from neuralese.errors import DamagedError, NeuraleseError, reason
from neuralese.storage.files import KEY, made_by, not_made, write_bytes

if TYPE_CHECKING:
    from torch import Tensor, nn

log = logging.getLogger(__name__)

METADATA = "__metadata__"  # in the header


def save_weights(path: str | Path, module: "nn.Module", settings: dict) -> None:
    """Write the weights of `module` and the `settings` it was built with."""
    from safetensors.torch import save

    weights = module.state_dict()
    if wrong := next((name for name, value in weights.items() if not bool(value.isfinite().all())), None):
        raise NeuraleseError(
            f"{path} was not written: its weights '{wrong}' hold NaN or infinity; lower the learning rate."
        )
    about = {**made_by(), "module": settings}
    about["sha256"] = _digest(save(weights), about)
    write_bytes(path, save(weights, {KEY: json.dumps(about)}))  # of several entries the order would vary


def _digest(content: bytes, about: Mapping[str, Any]) -> str:
    """The digest of the tensors in a safetensors file, their names, types and shapes, and what is said about them."""
    header, tensors = _parts(content)
    header.pop(METADATA, None)
    return hashlib.sha256(json.dumps([header, about], sort_keys=True).encode() + tensors).hexdigest()


def _parts(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the tensors of a safetensors file."""
    start = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:start]), content[start:]


def read_weights(path: str | Path) -> tuple[dict[str, "Tensor"], dict]:
    """Read weights and settings."""
    from safetensors.torch import load

    header, weights = _read(path, load)
    if KEY not in header[METADATA]:
        raise DamagedError(path)
    return weights, json.loads(header[METADATA][KEY])["module"]


def read_header(path: str | Path) -> dict[str, Any]:
    """The header of a file: the type and shape of every tensor and, under `METADATA`, texts about them."""
    return _read(path, deserialize)[0]


def _read(path: str | Path, load: Callable[[bytes], Any]) -> tuple[dict[str, Any], Any]:
    """The header of a file, verified to hold what was written, and what `load` makes of the file."""
    try:
        content = Path(path).read_bytes()
        header, loaded = _parts(content)[0], load(content)
        if ours := header.setdefault(METADATA, {}).get(KEY):  # absent from files that others wrote
            about = json.loads(ours)
            if about.pop("sha256") != _digest(content, about):
                raise DamagedError(path)
    except FileNotFoundError:
        raise not_made(path) from None
    except (SafetensorError, OSError, AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        raise DamagedError(path) from None
    return header, loaded


def save_checkpoint(path: Path, state: dict) -> None:
    """Write the state of a training."""
    import torch

    torch.save(state, buffer := io.BytesIO())
    write_bytes(path, buffer.getvalue())


def discard_broken(checkpoint: Path) -> None:
    """Remove a checkpoint that a failing disk cut short or changed, so that training restarts instead of failing.

    A checkpoint is written whole or not at all, and holds a checksum of each part.
    """
    import torch

    try:
        with zipfile.ZipFile(checkpoint) as parts:
            if broken := parts.testzip():
                raise zipfile.BadZipFile(f"{broken} has a wrong checksum")
        torch.load(checkpoint, weights_only=True)
    except FileNotFoundError:
        return
    except Exception as error:  # whatever zipfile, pickle or torch make of wrong bytes
        why = reason(error)
        log.warning("the checkpoint %s is damaged (%s); training restarts from the beginning", checkpoint, why)
        checkpoint.unlink()
