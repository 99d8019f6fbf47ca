"""Collect the relays of all tasks and seeds."""

from neuralese.stages import stage
from neuralese.stages.report import collect
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], collect(job.input, "relay"), "relay")
