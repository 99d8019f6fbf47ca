"""Where the workflow is: in the wheel, or at the top of a checkout; and how to start Snakemake on it.

snakemake_command(["--configfile", "quick", "--dry-run"])       # from any folder, without a clone
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

import neuralese
from neuralese.storage.errors import NeuraleseError

CONFIG = Path("config/config.yaml")  # where the workflow looks for a config in the current folder
CONFIG_OPTIONS = ("--configfile", "--configfiles")
CORES = ("--cores", "-c", "--jobs", "-j", "--profile", "--executor", "-e")  # options that say where jobs run
OWN_WORKFLOW = ("--snakefile", "-s")


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
    raise NeuraleseError(
        f"there is no config '{name}'; give the path of a YAML file, or one of {', '.join(shipped)}; "
        "targets such as all go before --configfile."
    )


def split_configs(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The config files among Snakemake's arguments, and all other arguments."""
    names: list[str] = []
    others: list[str] = []
    taking = False
    for place, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if argument == "--":
            return names, [*others, *arguments[place:]]
        if option in CONFIG_OPTIONS:
            taking = not equals
            names += [value] if equals else []
        elif taking and not argument.startswith("-"):
            names.append(argument)
        else:
            taking = False
            others.append(argument)
    return names, others


def given(arguments: Sequence[str], options: Sequence[str]) -> bool:
    """Whether one of these options is among the arguments, in any of its spellings."""
    own = arguments[: list(arguments).index("--")] if "--" in arguments else arguments
    short = tuple(option for option in options if not option.startswith("--"))
    return any(
        each.partition("=")[0] in options or (not each.startswith("--") and each.startswith(short)) for each in own
    )


def value_of(arguments: Sequence[str], options: Sequence[str]) -> str | None:
    """The value of an option, the last one if there are several."""
    found = None
    for place, argument in enumerate(arguments):
        option, equals, value = argument.partition("=")
        if option in options:
            found = value if equals else next(iter(arguments[place + 1 :]), None)
    return found


def config_files(arguments: Sequence[str]) -> list[Path]:
    """The config files of a run, each overriding those before; first the folder's own, or else the shipped one."""
    names, others = split_configs(arguments)
    folder = Path(value_of(others, ("--directory", "-d")) or ".")
    first = [] if (folder / CONFIG).is_file() else [shipped_configs()["config"]]
    return [*first, *map(find_config, names)]


def nested(arguments: Sequence[str]) -> list[str]:
    """The arguments with dotted keys of --config as Snakemake takes them: agent.noise=3 becomes agent={"noise": 3}.

    --config takes everything up to the next option, so a target among it is put last.
    """
    found: list[str] = []
    targets: list[str] = []
    sections: dict[str, tuple[int, dict]] = {}
    taking = False
    for argument in arguments:
        taking = argument in ("--config", "-C") or (taking and not argument.startswith("-"))
        key, equals, value = argument.partition("=")
        section, *inner = key.split(".")
        if taking and not equals and argument not in ("--config", "-C"):
            targets.append(argument)
            continue
        if not (taking and equals and inner):
            found.append(argument)
            continue
        if section not in sections:
            sections[section] = (len(found), {})
            found.append(section)
        place, values = sections[section]
        for name in inner[:-1]:
            values = values.setdefault(name, {})
        values[inner[-1]] = _read(value)
        found[place] = f"{section}={json.dumps(sections[section][1])}"
    return [*found, *(["--"] if targets and "--" not in found else []), *targets]


def _read(value: str) -> object:
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        return value


def snakemake_command(arguments: Sequence[str]) -> list[str]:
    """The command that runs the workflow with these arguments of Snakemake, in the current folder."""
    if given(arguments, OWN_WORKFLOW):
        return [sys.executable, "-m", "snakemake", *arguments]
    _, others = split_configs(nested(arguments))
    # --configfile takes everything up to the next option
    configs = [os.path.abspath(path) for path in config_files(arguments)]
    command = [sys.executable, "-m", "snakemake", *(["--configfile", *configs] if configs else [])]
    cores = [] if given(others, CORES) else ["--cores", "all"]
    return [*command, "--snakefile", str(home() / "Snakefile"), *cores, *others]
