"""The summary at the end of a run: the main figures, from which data, where the report is, how long it took."""

from collections.abc import Iterator
from pathlib import Path

import click

from neuralese.cli.output import print_table
from neuralese.cli.results import Results
from neuralese.errors import NeuraleseError

EMBEDDED = "embedded"


def print_summary(results: Path, ended: str) -> None:
    """Print it, with a sentence on how the run ended; whatever a run has not made is left out."""
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
    for line in (*_facts(results), ended):
        click.echo(line)


def main_figures(path: Path) -> tuple[list[str], list[list[str]]]:
    """For each task and direction: the paper's figure, ours with the baseline and with our criterion, and chance."""
    from neuralese.evaluate.comparison import read_comparison

    table = read_comparison(path)
    main = table[(table["measure"] == "accuracy") & (table["section"] == "")]
    baseline = {(row.task, row.pair): f"{row.ours:.3f}" for row in main[main["role"] == "baseline"].itertuples()}
    rows = []
    for row in main[main["role"] == "ours"].itertuples():
        paper = f"{row.paper:.2f}" if row.paper == row.paper else ""
        interval = f"{row.ours:.3f} [{row.ci_low:.3f}, {row.ci_high:.3f}]"
        direct = baseline.get((row.task, row.pair), "")
        rows.append([row.task, row.pair, f"{row.chance:.2f}", paper, direct, interval, row.data])
    return ["task", "pair", "chance", "paper", "direct", "belief [95% interval]", "data"], rows


def _uninformative(results: Path) -> dict[str, str]:
    """The tasks whose messages say nothing about states, with the p value of the permutation test."""
    from neuralese.evaluate.formats import p_text
    from neuralese.report.page.found import uninformative
    from neuralese.storage.tables import read_table

    tests = [path for task in Results(results).tasks() for path in (results / task).glob("seed*/protocol.parquet")]
    parts = [{"task": path.parts[-3], "protocol": read_table(path, "protocol").to_pylist()} for path in tests]
    return {task: p_text(p_value) for task, p_value in uninformative(parts).items()}


def _facts(results: Path) -> Iterator[str]:
    folder = Results(results)
    embedded = [task for task in folder.tasks() if _data(folder, task) == EMBEDDED]
    if embedded:
        yield (
            f"EMBEDDED DATA: {', '.join(embedded)} ran on a generated stand-in, so these figures say nothing about the "
            "paper. For real data, set NEURALESE_MIRROR or connect the machine to the network, use a config that does "
            "not ask for embedded data, and run again with: --forcerun download -- all"
        )
    report = results / "report/index.html"
    if report.exists():
        yield f"Report: {report} (open it in a browser)"
    places = {"Tables": results / "tables", "figures": results / "figures", "logs": results / "logs"}
    yield "; ".join(f"{name}: {path}" for name, path in places.items() if path.is_dir())


def _data(folder: Results, task: str) -> str:
    try:
        return folder.data(task)
    except (NeuraleseError, OSError, ValueError):
        return "unknown"
