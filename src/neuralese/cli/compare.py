"""Our figures next to the paper's: `neuralese compare`, and the summary at the end of a run."""

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
def compare(results: Path, task: str | None, as_json: bool) -> None:
    """Compare our belief and behaviour evaluations with the paper's, with 95% intervals.

    Seeds are averaged. Results on embedded data come from a generated stand-in and are not compared.
    """
    folder = Results(results)
    path = folder / "tables/belief.parquet"
    from neuralese.evaluate import comparison
    from neuralese.storage.tables import read_table

    driven = folder.folder / "tables/behavior.parquet"
    behavior = read_table(driven, "behavior").to_pandas() if driven.exists() else None
    belief = read_table(path, "belief").to_pandas()
    known = [name for name in belief["task"].unique() if name in tasks.names()]
    papers = {name: paper for name in known if (paper := tasks.get(name).paper)}
    table = comparison.compare(belief, behavior, papers)
    if task is not None:
        table = table[table["task"] == task]
        if table.empty:
            raise NeuraleseError(
                f"{path} has no results of {task}; add it to `tasks` in the config and run snakemake again."
            )
    if as_json:
        print_json(table.astype(object).where(table.notna(), None).to_dict("records"))
        return
    for place, (title, part) in enumerate(comparison.parts_of(table)):
        if place:
            click.echo()
        texts = comparison.texts_of(part)
        print_table(list(texts), texts.to_numpy().tolist(), title, SPARE)
    for note in comparison.notes(table):
        click.echo(f"\n{note}")


def print_summary(results: Path, ended: str) -> None:
    """The main figures, from which data, where the report is, and how the run ended, as far as they exist."""
    click.echo()
    table = results / "tables/comparison.csv"
    if table.exists():
        head, rows = main_figures(table)
        nothing_in = _uninformative(results)
        for task, p_value in nothing_in.items():
            click.echo(
                f"{task}: these messages carry no information about these states that we can detect, p {p_value}"
            )
        if rows := [row for row in rows if row[0] not in nothing_in]:
            print_table(head, rows, "How often a listener guesses the speaker's state from a translated message")
        click.echo()
    folder = Results(results)
    embedded = [task for task in folder.tasks() if _data(folder, task) == "embedded"]
    if embedded:
        click.echo(
            f"EMBEDDED DATA: {', '.join(embedded)} ran on a generated stand-in, so these figures say nothing about the "
            "paper. For real data, set NEURALESE_MIRROR or connect the machine to the network, use a config that does "
            "not ask for embedded data, and run again with: --forcerun download -- all"
        )
    report = results / "report/index.html"
    if report.exists():
        click.echo(f"Report: {report} (open it in a browser)")
    places = {"Tables": results / "tables", "figures": results / "figures", "logs": results / "logs"}
    click.echo("; ".join(f"{name}: {path}" for name, path in places.items() if path.is_dir()))
    click.echo(ended)


def main_figures(path: Path) -> tuple[list[str], list[list[str]]]:
    """For each task and direction: the paper's figure, ours with the baseline and with our criterion, and chance."""
    from neuralese.evaluate.comparison import read_comparison

    table = read_comparison(path)
    main = table[(table["measure"] == "accuracy") & (table["section"] == "")]
    baseline = {(row.task, row.pair): f"{row.value:.3f}" for row in main[main["role"] == "baseline"].itertuples()}
    rows = []
    for row in main[main["role"] == "ours"].itertuples():
        paper = f"{row.paper:.2f}" if row.paper == row.paper else ""
        interval = f"{row.value:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]"
        direct = baseline.get((row.task, row.pair), "")
        rows.append([row.task, row.pair, f"{row.chance:.2f}", paper, direct, interval, row.data])
    return ["task", "pair", "chance", "paper", "direct", "belief [95% interval]", "data"], rows


def _uninformative(results: Path) -> dict[str, str]:
    """The tasks whose messages say nothing about states, with the p value of the permutation test."""
    from neuralese.evaluate.comparison import p_text
    from neuralese.report.claims import uninformative
    from neuralese.storage.tables import read_table

    tests = [path for task in Results(results).tasks() for path in (results / task).glob("seed*/protocol.parquet")]
    parts = [{"task": path.parts[-3], "protocol": read_table(path, "protocol").to_pylist()} for path in tests]
    return {task: p_text(p_value) for task, p_value in uninformative(parts).items()}


def _data(folder: Results, task: str) -> str:
    try:
        return folder.data(task)
    except (NeuraleseError, OSError, ValueError):
        return "unknown"
