"""The folder that the workflow writes, as the commands see it."""

from pathlib import Path

import click

from neuralese import tasks
from neuralese.data.data_sets import read_provenance
from neuralese.errors import NeuraleseError


class Results:
    """A folder of results; errors say how to make what is missing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __truediv__(self, name: str) -> Path:
        """A file that must exist."""
        path, known = self.folder / name, self.tasks()
        if not known:
            is_there = "holds no results" if self.folder.is_dir() else "does not exist"
            raise NeuraleseError(
                f"{self.folder} {is_there}; name the folder of a run with --results, or make one with: neuralese run"
            )
        if not path.exists():
            raise NeuraleseError(f"{path} does not exist; make it with: neuralese run {path}")
        return path

    def tasks(self) -> list[str]:
        """Tasks with any results: those we know first, then any folder that says where its data comes from."""
        others = sorted(path.parent.name for path in self.folder.glob("*/provenance.json"))
        return [task for task in dict.fromkeys((*tasks.names(), *others)) if (self.folder / task).is_dir()]

    def data(self, task: str) -> str:
        """The data a task's results were made from, if known."""
        path = self.folder / task / "provenance.json"
        return read_provenance(path)["source"] if path.exists() else "unknown"

    def of_seed(self, task: str, seed: int, name: str) -> Path:
        """A file of one task and seed, which must exist."""
        known = self.tasks()
        if known and task not in known:
            raise NeuraleseError(
                f"{self.folder} has no results of the task '{task}', only of {', '.join(known)}; name another "
                "folder with --results, or add the task to `tasks` in the config and run the workflow."
            )
        return self / f"{task}/seed{seed}/{name}"


results_option = click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default="results",
    envvar="NEURALESE_RESULTS",
    show_default=True,
    show_envvar=True,
    metavar="FOLDER",
    help="Folder written by the workflow.",
)
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the agents."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class Examples(click.Command):
    """A command whose help ends with examples, printed line by line as written."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the examples without wrapping them."""
        with formatter.section("Examples"):
            for line in (self.epilog or "").strip().splitlines():
                formatter.write(f"  {line.strip()}\n")
