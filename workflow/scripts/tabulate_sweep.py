"""Collect one kind of result of every point of a sweep."""

from neuralese.stages import stage
from neuralese.stages.report import tabulate_sweep
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    kind = job.wildcards["table"]
    write_table(job.output[0], tabulate_sweep(job.input, kind, **job.settings), kind)
