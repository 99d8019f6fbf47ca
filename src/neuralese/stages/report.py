"""Stages that collect results and show them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuralese import tasks
from neuralese.stages.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from neuralese.evaluate.paper import Paper


def collect(paths: Iterable[str | Path], kind: str) -> "pd.DataFrame":
    """Tables of one kind, one below the other."""
    import pandas as pd

    from neuralese.storage.tables import read_table

    return pd.concat([read_table(path, kind).to_pandas() for path in paths], ignore_index=True)


def tabulate(belief: "pd.DataFrame", behavior: "pd.DataFrame | None" = None) -> "pd.DataFrame":
    """Our results beside the paper's."""
    from neuralese.evaluate.comparison import compare

    parts = {} if behavior is None else {"behavior": behavior}
    return compare(belief=belief, papers=_papers(belief), **parts)


def tabulate_sweep(
    paths: Iterable[str | Path], kind: str, points: "Sequence[dict[str, int | float | bool | str]]"
) -> "pd.DataFrame":
    """Tables of one kind in the order of the points, as many of each, with a column for each swept value."""
    import pandas as pd

    from neuralese.storage.tables import read_table

    tables = [read_table(path, kind).to_pandas() for path in paths]
    of_each = len(tables) // len(points)
    return pd.concat(
        [table.assign(**points[place // of_each]) for place, table in enumerate(tables)], ignore_index=True
    )


def draw_tables(comparison: "pd.DataFrame", paths: Iterable[str | Path]) -> None:
    """Draw each of the paper's tables, into the files that are called after it."""
    from neuralese.report.comparison import draw_comparison

    for number, rows in comparison.groupby("table"):
        draw_comparison(rows, *(path for path in paths if Path(path).stem == f"table_{number}"))


def tabulate_ablation(ablation: "pd.DataFrame", criteria: "pd.DataFrame", figures: Sequence[str]) -> "pd.DataFrame":
    """The ablation with a mark on what was chosen; also drawn."""
    from neuralese.report.ablation import draw_ablation
    from neuralese.translate.families import mark_chosen

    marked = mark_chosen(ablation, criteria)
    draw_ablation(marked, _papers(marked), *figures)
    return marked


def _papers(table: "pd.DataFrame") -> "dict[str, Paper]":
    """The paper's results for the tasks of a table."""
    return {name: paper for name in table["task"].unique() if (paper := tasks.get(name).paper)}


def draw_examples(run: Run, criterion: str, number: int, figures: Sequence[str]) -> "pd.DataFrame":
    """States, and the best translations of what the robot says of one; also drawn."""
    from neuralese.report.examples import choose_examples, draw_examples, shown_states

    examples = choose_examples(run.coded_messages(), run.table("dictionary.parquet"), criterion, number)
    title = f"{run.task.title}: the robot's message, translated by {criterion} (data: {run.data})"
    pictures = run.pixels(set(examples[shown_states(examples)].to_numpy().ravel().tolist()))
    draw_examples(figures, examples, pictures, title, run.task.example_names)
    return examples


def gather_report(run: Run, criterion: str) -> dict[str, Any]:
    """What the report shows for one task and seed."""
    from neuralese.report.page.gather import gather

    return gather(run, criterion)


def write_report(
    path: str | Path, given: Mapping[str, Sequence[Path]], names: Sequence[str], seeds: Sequence[int], benchmarks: str
) -> None:
    """The report: one page, from the files `given` by name."""
    from neuralese.evaluate.comparison import read_comparison
    from neuralese.report.page.beyond import load_beyond
    from neuralese.report.page.facts import run_facts
    from neuralese.report.page.write import write_page

    shown = [tasks.get(name) for name in names]
    facts = run_facts(given["provenance.json"], seeds, benchmarks)
    beyond = load_beyond({name: paths[0] for name, paths in given.items()})
    ours, *faithful = given["comparison.csv"]
    beyond["faithful"] = read_comparison(faithful[0]) if faithful else None
    write_page(path, given["report.json"], shown, facts, read_comparison(ours), beyond)
