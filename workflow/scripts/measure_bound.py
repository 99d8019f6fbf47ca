"""Measure D and the accuracy lost by translation on one task."""

from neuralese.stages import stage
from neuralese.stages.evaluate import measure_bound
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], measure_bound(job.run, **job.settings), "bound")
