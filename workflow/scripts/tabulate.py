"""Collect results and compare them with the paper's."""

import pandas as pd

from neuralese import tasks
from neuralese.evaluate.comparison import compare
from neuralese.evaluate.formats import to_html, to_latex, to_markdown
from neuralese.pipeline.stage import by_name, stage
from neuralese.storage.files import write_text
from neuralese.storage.tables import read_table, write_table

with stage(snakemake):
    made, given, parts = snakemake.output, by_name(snakemake.input), {}
    for name in made.keys() & {"belief", "behavior"}:
        tables = [read_table(path, name).to_pandas() for path in given[f"{name}_test.parquet"]]
        parts[name] = pd.concat(tables, ignore_index=True)
        write_table(made[name], parts[name], name)
    papers = {name: tasks.get(name).paper for name in parts["belief"]["task"].unique()}
    comparison = compare(**parts, papers=papers)
    write_text(made.csv, comparison.to_csv(index=False))
    write_text(made.tex, to_latex(comparison))
    write_text(made.html, to_html(comparison))
    write_text(made.md, to_markdown(comparison))
