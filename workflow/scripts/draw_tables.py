"""Draw the paper's tables with ours."""

from pathlib import Path

from neuralese.evaluate.comparison import read_comparison
from neuralese.pipeline.stage import stage
from neuralese.report.comparison import draw_comparison

with stage(snakemake):
    for number, rows in read_comparison(snakemake.input.comparison).groupby("table"):
        draw_comparison(rows, *(path for path in snakemake.output if Path(path).stem == f"table_{number}"))
