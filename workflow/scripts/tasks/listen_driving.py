"""Let a robot drive with a model human who listens."""

from neuralese.stages import stage
from neuralese.stages.driving import listen_driving
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], listen_driving(job.run, **job.settings), "listening")
