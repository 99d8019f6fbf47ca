"""Weights on disk: safetensors, with the settings that made them in the header; no pickle is ever loaded."""

import json
from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from neuralese.errors import NeuraleseError
from neuralese.files import atomic


def save_weights(path: str | Path, module: nn.Module, settings: dict) -> None:
    """Write the weights of `module` and the `settings` it was built with."""
    with atomic(path) as temporary:
        save_file(module.state_dict(), temporary, metadata={"settings": json.dumps(settings, sort_keys=True)})


def read_weights(path: str | Path) -> tuple[dict[str, Tensor], dict]:
    """Read weights and settings."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["settings"])  # noqa: SIM118
    except (SafetensorError, FileNotFoundError) as error:
        raise NeuraleseError(f"{path} holds no weights ({error}); delete it and run snakemake again.") from None
