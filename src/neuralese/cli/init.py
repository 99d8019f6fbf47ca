"""`neuralese init`: the configs of the workflow, as a starting point for an experiment."""

from pathlib import Path

import click

from neuralese.cli.packaged import CONFIG, home
from neuralese.cli.results import Examples
from neuralese.errors import NeuraleseError
from neuralese.storage.files import write_text

EXAMPLES = """
neuralese init my_experiment
neuralese init .
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
def command(folder: Path) -> None:
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
