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

DIGEST, METADATA = "sha256", "__metadata__"  # in the header


def save_weights(path: str | Path, module: "nn.Module", settings: dict) -> None:
    """Write the weights of `module` and the `settings` it was built with."""
    from safetensors.torch import save

    weights = module.state_dict()
    if wrong := _not_finite(weights):
        raise NeuraleseError(
            f"{path} was not written: its weights '{wrong}' hold NaN or infinity; lower the learning rate."
        )
    # the metadata are added here, since safetensors would write them in another order each time
    header, tensors = _parts(save(weights))
    header = {METADATA: {KEY: json.dumps(made_by()), "settings": json.dumps(settings, sort_keys=True)}, **header}
    header[METADATA][DIGEST] = _digest(header, tensors)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)  # tensors are aligned
    write_bytes(path, len(text).to_bytes(8, "little") + text + tensors)


def _parts(content: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the tensors of a safetensors file."""
    start = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:start]), content[start:]


def _digest(header: Mapping[str, Any], tensors: bytes) -> str:
    """The digest of a file with this header, but for the digest itself, and these bytes after it."""
    about = {name: text for name, text in header[METADATA].items() if name != DIGEST}
    return hashlib.sha256(json.dumps({**header, METADATA: about}, sort_keys=True).encode() + tensors).hexdigest()


def read_weights(path: str | Path) -> tuple[dict[str, "Tensor"], dict]:
    """Read weights and settings."""
    from safetensors.torch import load

    header, weights = _read(path, load)
    try:
        settings = json.loads(header[METADATA]["settings"])
    except (KeyError, ValueError):
        raise DamagedError(path) from None
    if wrong := _not_finite(weights):
        raise NeuraleseError(f"{path} holds weights '{wrong}' with NaN or infinity; delete it and run again.")
    return weights, settings


def read_header(path: str | Path) -> dict[str, Any]:
    """The header of a file: the type and shape of every tensor and, under `METADATA`, texts about them."""
    return _read(path, deserialize)[0]


def _read(path: str | Path, load: Callable[[bytes], Any]) -> tuple[dict[str, Any], Any]:
    """The header of a file, verified to hold what was written, and what `load` makes of the file."""
    try:
        content = Path(path).read_bytes()
        header, tensors = _parts(content)
        loaded = load(content)
        about = header.setdefault(METADATA, {})
        if DIGEST in about and about[DIGEST] != _digest(header, tensors):  # others write no digest
            raise DamagedError(path)
    except FileNotFoundError:
        raise not_made(path) from None
    except (SafetensorError, OSError, AttributeError, KeyError, TypeError, ValueError, RuntimeError):
        raise DamagedError(path) from None
    return header, loaded


def _not_finite(weights: Mapping[str, "Tensor"]) -> str | None:
    """The name of the first tensor that holds NaN or infinity."""
    return next((name for name, value in weights.items() if not bool(value.isfinite().all())), None)


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
