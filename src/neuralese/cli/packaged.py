"""Where the workflow and its configs are: in the wheel, or at the top of a checkout."""

from pathlib import Path

import neuralese
from neuralese.errors import NeuraleseError

CONFIG = Path("config/config.yaml")  # where the workflow looks for a config in the current folder


def home() -> Path:
    """The folder with the Snakefile, workflow/, config/ and profiles/."""
    package = Path(neuralese.__file__).parent
    for folder in (package / "packaged", package.parents[1]):
        if (folder / "Snakefile").is_file() and (folder / "workflow" / "rules").is_dir():
            return folder
    raise NeuraleseError(
        f"{package} lacks its workflow; reinstall the package with: pip install --force-reinstall neuralese"
    )


def shipped_configs() -> dict[str, Path]:
    """The configs shipped with the package, by name."""
    return {path.stem: path for path in sorted((home() / "config").glob("*.yaml"))}


def find_config(name: str) -> Path:
    """A config file: a path, or the name of one in ./config or of one shipped with the package."""
    wanted, shipped = Path(name), shipped_configs()
    for path in (wanted, CONFIG.parent / wanted, CONFIG.parent / f"{name}.yaml"):
        if path.is_file():
            return path
    if wanted.stem in shipped and wanted.parent in (Path(), CONFIG.parent):
        return shipped[wanted.stem]
    raise NeuraleseError(f"there is no config '{name}'; give the path of a YAML file, or one of {', '.join(shipped)}.")
