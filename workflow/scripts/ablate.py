"""Compare all criteria on dev and test."""

from neuralese.stages import stage
from neuralese.stages.evaluate import ablate
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], ablate(job.run, **job.settings), "ablation")
