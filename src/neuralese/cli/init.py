"""`neuralese init`: the configs of the workflow, to start an experiment of one's own from."""

from pathlib import Path

import click

from neuralese.cli.results import Examples
from neuralese.pipeline.packaged import CONFIG, home
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import write_text

EXAMPLES = """
neuralese init my_experiment
neuralese init .
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
def command(folder: Path) -> None:
    """Write commented configs to DIR/config: the default, quick and paper overlays, and how to choose values.

    `neuralese run` in DIR then uses them. Nothing that is already there is overwritten.
    """
    if (folder / CONFIG).exists():
        raise NeuraleseError(f"there is a config already, {folder / CONFIG}; choose another folder, or edit that one.")
    sources = sorted(path for path in (home() / CONFIG.parent).iterdir() if path.suffix in (".yaml", ".md"))
    for path in sources:
        target = folder / CONFIG.parent / path.name
        if not target.exists():
            write_text(target, path.read_text(encoding="utf-8"))
    click.echo(f"{folder / CONFIG.parent} has {', '.join(path.name for path in sources)}.")
    enter = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"To see everything run, on embedded data: {enter}neuralese run --configfile quick")
    click.echo(f"To run the experiment of config.yaml:    {enter}neuralese run")
