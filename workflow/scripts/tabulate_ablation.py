"""Collect the ablations and draw them."""

import pandas as pd

from neuralese.evaluate.ablation import choose
from neuralese.report.ablation import draw_ablation
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    parts = [read_table(path, "ablation").to_pandas() for path in snakemake.input]
    table = choose(pd.concat(parts, ignore_index=True))
    write_table(snakemake.output.table, table, "ablation")
    draw_ablation(table, *snakemake.output.figures)
