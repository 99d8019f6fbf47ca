"""Collect the ablations and what was chosen, and draw them."""

import pandas as pd

from neuralese import tasks
from neuralese.pipeline.stage import by_name, stage
from neuralese.report.ablation import draw_ablation
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.choice import mark_chosen

with stage(snakemake):
    given, made = by_name(snakemake.input), snakemake.output
    ablation, criteria = (
        pd.concat([read_table(path, name).to_pandas() for path in given[f"{name}.parquet"]], ignore_index=True)
        for name in ("ablation", "criteria")
    )
    ablation = mark_chosen(ablation, criteria)
    write_table(made.table, ablation, "ablation")
    write_table(made.criteria, criteria, "criteria")
    papers = {name: tasks.get(name).paper for name in ablation["task"].unique()}
    draw_ablation(ablation, papers, *made.figures)
