"""Stages that collect results and show them."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from neuralese import tasks
from neuralese.stages.run import Run
from neuralese.storage.tables import read_table
from neuralese.tasks.task import Paper


def collect(paths: Iterable[str | Path], kind: str) -> pd.DataFrame:
    """Tables of one kind, one below the other."""
    return pd.concat([read_table(path, kind).to_pandas() for path in paths], ignore_index=True)


def tabulate(belief: pd.DataFrame, behavior: pd.DataFrame | None = None) -> pd.DataFrame:
    """Our results beside the paper's."""
    from neuralese.evaluate.comparison import compare

    return compare(belief, behavior, _papers(belief))


def tabulate_sweep(
    paths: Sequence[str | Path], kind: str, points: Sequence[dict[str, int | float | bool | str]]
) -> pd.DataFrame:
    """Tables of one kind in the order of the points, as many of each, with a column for each swept value."""
    of_each = len(paths) // len(points)
    tables = [collect([path], kind).assign(**points[place // of_each]) for place, path in enumerate(paths)]
    return pd.concat(tables, ignore_index=True)


def draw_tables(comparison: pd.DataFrame, paths: Iterable[str | Path]) -> None:
    """Draw each of the paper's tables, into the files that are called after it."""
    from neuralese.report import charts

    for number, rows in comparison.groupby("table"):
        first, own = rows.iloc[0], (path for path in paths if Path(path).stem == f"table_{number}")
        seeds = f"{first['seeds']} seeds" if first["seeds"] > 1 else "one seed: intervals are over items only"
        title = f"{charts.heading(first)} (data: {first['data']}; {seeds})"
        charts.save(charts.comparison(rows).items(), title, *own)


def draw_theory(lost: pd.DataFrame, recovered: pd.DataFrame, paths: Sequence[str]) -> None:
    """Draw both propositions."""
    from neuralese.report import charts

    charts.save([("", spec) for spec in charts.theory(lost, recovered)], "Propositions 1 and 2", *paths)


def draw_sweep(path: str, tables: Mapping[str, pd.DataFrame], keys: Sequence[str], criterion: str) -> None:
    """Draw how translation and the protocol change with each swept value."""
    from neuralese.report import charts

    found = []
    for task in tables["belief"]["task"].unique():
        belief, protocol = (tables[name][tables[name]["task"] == task] for name in ("belief", "protocol"))
        title = f"{task} (data: {', '.join(sorted(belief['data'].unique()))})"
        found += [(title, spec) for key in keys for spec in charts.sweep(belief, protocol, key, criterion)]
    charts.save(found, f"Sweep over {', '.join(keys)}", path, columns=2 * len(keys))


def tabulate_ablation(ablation: pd.DataFrame, criteria: pd.DataFrame, figures: Sequence[str]) -> pd.DataFrame:
    """The ablation with a mark on what was chosen; also drawn, beside the paper's figure where it is comparable."""
    from neuralese.report import charts
    from neuralese.translate.families import mark_chosen

    marked = mark_chosen(ablation, criteria)
    papers, found = _papers(marked), []
    for task, pair, cells in charts.panels(marked):
        data, seeds, paper = sorted(cells["data"].unique()), cells["seed"].nunique(), papers.get(task)
        figure = None
        if paper and paper.distractors == "play" and "embedded" not in data:
            speaker, listener = pair.split(" → ")
            figure = paper.belief.get((speaker, listener, "belief"))
        told = "" if figure is None else f"; the paper's belief: {figure:.2f}"
        title = f"{task}, {pair} (data: {', '.join(data)}; seeds: {seeds}{told})"
        found.append((title, charts.ablation(cells, {charts.LINE: cells["chance"].iloc[0], charts.SECOND: figure})))
    charts.save(found, "Every criterion on dev and test", *figures)
    return marked


def _papers(table: pd.DataFrame) -> dict[str, Paper]:
    """The paper's results for the tasks of a table."""
    return {name: paper for name in table["task"].unique() if (paper := tasks.get(name).paper)}


def draw_examples(run: Run, criterion: str, number: int, figures: Sequence[str]) -> pd.DataFrame:
    """States, and the best translations of what the robot says of one; also drawn."""
    from neuralese.figures import choose_examples, draw_examples, shown_states

    examples = choose_examples(run.coded_messages(), run.table("dictionary.parquet"), criterion, number)
    title = f"{run.task.title}: the robot's message, translated by {criterion} (data: {run.data})"
    codes = set(examples[shown_states(examples)].to_numpy().ravel().tolist())
    pictures = run.task.pixels(run.files, codes)
    draw_examples(figures, examples, pictures, title, run.task.example_names)
    return examples
