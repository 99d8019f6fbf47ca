"""`neuralese run`: the workflow that the package brings, from any folder; `neuralese init`: its configs, to edit."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import click
import yaml

import neuralese
from neuralese.cli.results import Examples
from neuralese.errors import NeuraleseError
from neuralese.storage.files import write_text

CONFIG = Path("config/config.yaml")  # where the workflow looks for a config in the current folder
EXAMPLES = """
neuralese run
neuralese run --cores 2 --configfile quick
neuralese run --cores 8 --configfile paper
neuralese run --cores 8 --config 'tasks=[colors]' results=results/colors_only
neuralese run --verbose --cores 2 --configfile quick
neuralese run --dry-run
"""
PARSER = ArgumentParser(add_help=False, allow_abbrev=False)  # of the options of Snakemake that are changed here
PARSER.add_argument("--configfile", "--configfiles", nargs="+", action="extend", default=[])
PARSER.add_argument("--config", "-C", nargs="*", action="extend", default=[])
SEEN = ArgumentParser(add_help=False, allow_abbrev=False)  # of those that are passed on as they are
SEEN.add_argument("--directory", "-d", default=".")
SEEN.add_argument("--cores", "-c", "--jobs", "-j", "--profile", "--executor", "-e", nargs="?", const="all")


@click.command(
    cls=Examples,
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": ["--help"]},
)
@click.option("--verbose", is_flag=True, help="Show Snakemake's own output instead of the view.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[SNAKEMAKE ARGS]...")
def run(verbose: bool, arguments: tuple[str, ...]) -> None:
    """Run the workflow in the current folder; no clone is needed.

    Arguments are those of Snakemake. Without any, everything is made on all cores. A --configfile is a path, or the
    name of a config in ./config or of one that comes with the package: quick, paper, faithful. What config/config.yaml
    says, if it exists here (`neuralese init .` writes it), takes precedence over the defaults.
    """
    full, results = snakemake_command(arguments)
    view = [] if verbose else ["--logger", "neuralese", "--logger-neuralese-results", results]
    sys.stdout.flush()
    os.execv(full[0], [*full[:3], *view, *full[3:]])


def snakemake_command(arguments: Sequence[str]) -> tuple[list[str], str]:
    """The command that runs the workflow with these arguments of Snakemake here, and its folder of results.

    Configs are found by their names, and a target may follow a config. All other arguments are passed on unchanged.
    """
    if find_spec("snakemake") is None:
        raise ModuleNotFoundError(name="snakemake")
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own, others = PARSER.parse_known_args(arguments[:end])
    seen, _ = SEEN.parse_known_args(others)
    known = {*shipped_configs(), *(path.stem for path in CONFIG.parent.glob("*.yaml"))}
    named = [name for name in own.configfile if name in known or name.endswith((".yaml", ".yml"))] or own.configfile
    values = [each for each in own.config if "=" in each]
    targets = [each for each in (*own.configfile, *own.config) if each not in (*named, *values)]
    targets += arguments[end + 1 :]
    local = Path(seen.directory) / CONFIG
    configs = [] if local.is_file() else [shipped_configs()["config"]]
    configs += [find_config(name) for name in named]
    full = [sys.executable, "-m", "snakemake", "--snakefile", str(home() / "Snakefile")]
    full += [] if seen.cores else ["--cores", "all"]
    full += ["--configfile", *(os.path.abspath(path) for path in configs)] if configs else []
    full += ["--config", *values] if values else []
    return [*full, *others, *(["--", *targets] if targets else [])], _results([local, *configs], values)


def _results(configs: Sequence[Path], values: Sequence[str]) -> str:
    """The folder that a run with these configs and values writes to."""
    found = "results"
    for path in configs:
        with suppress(OSError, yaml.YAMLError, AttributeError):  # Snakemake says what is wrong with it
            found = yaml.safe_load(path.read_text(encoding="utf-8")).get("results", found)
    return dict(each.split("=", 1) for each in values).get("results", str(found))


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


@click.command(cls=Examples, epilog="neuralese init my_experiment\nneuralese init .")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
def init(folder: Path) -> None:
    """Write commented configs to DIR/config: the default, quick and paper overlays, and a guide to choosing values.

    `neuralese run` in DIR then uses them. Existing files are never overwritten.
    """
    if (folder / CONFIG).exists():
        raise NeuraleseError(f"{folder / CONFIG} exists already; choose another folder, or edit that config.")
    sources = sorted(path for path in (home() / CONFIG.parent).iterdir() if path.suffix in (".yaml", ".md"))
    for path in sources:
        target = folder / CONFIG.parent / path.name
        if not target.exists():
            write_text(target, path.read_text(encoding="utf-8"))
    click.echo(f"{folder / CONFIG.parent} now holds {', '.join(path.name for path in sources)}.")
    enter = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"To try everything, on embedded data:     {enter}neuralese run --configfile quick")
    click.echo(f"To run the experiment of config.yaml:    {enter}neuralese run")
