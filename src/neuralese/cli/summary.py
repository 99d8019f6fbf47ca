"""What a run ends with: the main figures, from which data they are, and where the report is."""

from pathlib import Path

import click

from neuralese.cli.output import print_table
from neuralese.cli.results import Results


def print_summary(results: Path, ended: str) -> None:
    """Print as much of this as exists, and how the run ended."""
    folder = Results(results)
    click.echo()
    if (results / "tables/comparison.csv").exists():
        _print_figures(folder)
        click.echo()
    if embedded := [task for task in folder.tasks() if folder.data(task) == "embedded"]:
        click.echo(
            f"EMBEDDED DATA: {', '.join(embedded)} ran on a generated stand-in, so these figures say nothing about the "
            "paper. For real data, set NEURALESE_MIRROR or connect the machine to the network, use a config that does "
            "not ask for embedded data, and run again with: --forcerun download -- all"
        )
    if (report := results / "report/index.html").exists():
        click.echo(f"Report: {report} (open it in a browser)")
    places = {"Tables": results / "tables", "figures": results / "figures", "logs": results / "logs"}
    click.echo("; ".join(f"{name}: {path}" for name, path in places.items() if path.is_dir()))
    click.echo(ended)


def _print_figures(folder: Results) -> None:
    """For each task, direction and judge: the best baseline and our criterion; none if messages say nothing."""
    from neuralese.evaluate.comparison import p_text, read_comparison
    from neuralese.report.claims import main_cells, uninformative
    from neuralese.storage.tables import read_table

    tests = [path for task in folder.tasks() for path in (folder.folder / task).glob("seed*/protocol.parquet")]
    parts = [{"task": path.parts[-3], "protocol": read_table(path, "protocol").to_pylist()} for path in tests]
    nothing_in = uninformative(parts)
    for task, p_value in nothing_in.items():
        click.echo(
            f"{task}: these messages carry no information about these states that we can detect, p {p_text(p_value)}"
        )
    rows = []
    for cell in main_cells(read_comparison(folder.folder / "tables/comparison.csv"), without=nothing_in):
        baseline = f"{cell['best']} {cell['marks'][cell['best']][0]:.3f}" if cell["best"] else ""
        ours = f"{cell['ours']:.3f} [{cell['low']:.3f}, {cell['high']:.3f}]"
        rows.append([cell["task"], cell["way"], cell["judge"], f"{cell['chance']:.2f}", baseline, ours])
    if rows:
        head = ["task", "direction", "judge", "chance", "best baseline", "ours [95% interval]"]
        print_table(head, rows, "How often a listener guesses the speaker's state from a translated message")
