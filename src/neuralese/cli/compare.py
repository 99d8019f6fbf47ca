"""`neuralese compare`: our tables next to the paper's."""

from pathlib import Path

import click

from neuralese import tasks
from neuralese.cli.output import print_json, print_table
from neuralese.cli.results import Examples, Results, json_option, one_task_option, results_option
from neuralese.errors import NeuraleseError

# left out first where the terminal is narrow
SPARE = ("n (messages, games per seed)", "over silence", "over control", "seeds", "data", "difference", "over baseline")
EXAMPLES = """
neuralese compare
neuralese compare --task birds
neuralese compare --results results/quick --json
"""


@click.command(cls=Examples, epilog=EXAMPLES)
@results_option
@one_task_option
@json_option
def command(results: Path, task: str | None, as_json: bool) -> None:
    """Compare our belief and behaviour evaluations with the paper's, with 95% intervals.

    Seeds are averaged. Results on embedded data come from a generated stand-in and are not compared.
    """
    folder = Results(results)
    path = folder / "tables/belief.parquet"
    from neuralese.evaluate.comparison import compare
    from neuralese.evaluate.formats import cells_of, notes, parts_of
    from neuralese.storage.tables import read_table

    driven = folder.folder / "tables/behavior.parquet"
    behavior = read_table(driven, "behavior").to_pandas() if driven.exists() else None
    belief = read_table(path, "belief").to_pandas()
    known = [name for name in belief["task"].unique() if name in tasks.names()]
    papers = {name: paper for name in known if (paper := tasks.get(name).paper)}
    table = compare(belief, behavior, papers)
    if task is not None:
        table = table[table["task"] == task]
        if table.empty:
            raise NeuraleseError(
                f"{path} has no results of {task}; add it to `tasks` in the config and run snakemake again."
            )
    if as_json:
        print_json(table.astype(object).where(table.notna(), None).to_dict("records"))
        return
    for place, (title, part) in enumerate(parts_of(table)):
        if place:
            click.echo()
        head, rows = cells_of(part)
        print_table(head, rows, title, SPARE)
    for note in notes(table):
        click.echo(f"\n{note}")
