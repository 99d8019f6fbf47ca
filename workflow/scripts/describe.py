"""Describe messages in as many phrases as it takes."""

from neuralese.stages import stage
from neuralese.stages.translate import describe
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    table, about = describe(job.run, **job.settings)
    write_table(job.output[0], table, "descriptions", about)
