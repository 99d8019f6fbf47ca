"""Weights on disk: safetensors, with the settings that made them in the header; no pickle is ever loaded.

The header also holds a digest of itself and of the tensors, which is verified when they are loaded. This module loads
torch only where it is needed.
"""

import hashlib
import json
import logging
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from neuralese.errors import DamagedError, NeuraleseError
from neuralese.storage.files import KEY, atomic, made_by

if TYPE_CHECKING:
    from torch import Tensor, nn

log = logging.getLogger(__name__)

DIGEST, METADATA = "sha256", "__metadata__"  # in the header
NAME = "checkpoint"  # the entry of a checkpoint that holds its own name


def save_weights(path: str | Path, module: "nn.Module", settings: dict) -> None:
    """Write the weights of `module` and the `settings` it was built with."""
    from safetensors.torch import save_file

    weights = module.state_dict()
    if wrong := _not_finite(weights):
        raise NeuraleseError(
            f"{path} was not written: its weights '{wrong}' hold NaN or infinity; lower the learning rate."
        )
    about = {"settings": json.dumps(settings, sort_keys=True), KEY: json.dumps(made_by()), DIGEST: "0" * 64}
    with atomic(path) as temporary:
        save_file(weights, temporary, metadata=about)
        _finish_header(temporary)
        temporary.chmod(0o644)  # safetensors makes files private, but results are shared


def _finish_header(path: Path) -> None:
    """Write the digest, and sort the metadata, which safetensors writes in a different order each time."""
    with path.open("r+b") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        header[METADATA][DIGEST] = _digest(header, file.read())
        header[METADATA] = dict(sorted(header[METADATA].items()))
        text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
        if len(text) > size:
            raise ValueError(f"the header of {path.name} would no longer fit")
        file.seek(8)
        file.write(text.ljust(size))  # trailing spaces are ignored


def _digest(header: Mapping[str, Any], tensors: bytes) -> str:
    """The digest of a file with this header, but for the digest itself, and these bytes after it."""
    about = {name: text for name, text in header[METADATA].items() if name != DIGEST}
    return hashlib.sha256(json.dumps({**header, METADATA: about}, sort_keys=True).encode() + tensors).hexdigest()


def _is_whole(path: str | Path) -> bool:
    """Whether a file holds what was written; a file that neuralese did not write has no digest to check."""
    content = Path(path).read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    about = header.get(METADATA, {})
    return DIGEST not in about or about[DIGEST] == _digest(header, content[start:])


def read_weights(path: str | Path) -> tuple[dict[str, "Tensor"], dict]:
    """Read weights and settings."""
    with open_weights(path, "pt") as file:
        weights, settings = {name: file.get_tensor(name) for name in file.keys()}, _settings(file)  # noqa: SIM118
    if wrong := _not_finite(weights):
        raise NeuraleseError(f"{path} holds weights '{wrong}' with NaN or infinity; delete it and run again.")
    return weights, settings


def read_settings(path: str | Path) -> dict:
    """The settings with which weights were written, without the weights."""
    with open_weights(path) as file:
        return _settings(file)


@contextmanager
def open_weights(path: str | Path, framework: str = "numpy") -> Iterator[Any]:
    """A file of weights, verified to hold what was written."""
    try:
        if not _is_whole(path):
            raise DamagedError(path)
        with safe_open(path, framework=framework) as file:
            yield file
    except FileNotFoundError:
        raise NeuraleseError(f"{path} does not exist yet; run snakemake to make it.") from None
    except (SafetensorError, OSError, AttributeError, KeyError, TypeError, ValueError, RuntimeError, RecursionError):
        raise DamagedError(path) from None


def _settings(file: Any) -> dict:
    return json.loads((file.metadata() or {})["settings"])


def _not_finite(weights: Mapping[str, Any]) -> str | None:
    """The name of the first tensor that holds NaN or infinity."""
    from torch import Tensor

    for name, value in weights.items():
        if isinstance(value, Tensor) and value.is_floating_point() and not bool(value.isfinite().all()):
            return name
    return None


def save_checkpoint(path: Path, state: dict) -> None:
    """Write the state of a training, under its name."""
    import torch

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
    import torch

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
