"""Draw the paper's tables with ours."""

from neuralese.evaluate.comparison import read_comparison
from neuralese.stages import stage
from neuralese.stages.report import draw_tables

with stage(snakemake) as job:
    draw_tables(read_comparison(job.input.comparison), job.output)
