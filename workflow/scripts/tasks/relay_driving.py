"""Let two robots drive with every message translated into English and back."""

from neuralese.stages import stage
from neuralese.stages.driving import relay_driving
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], relay_driving(job.run, **job.settings), "relay")
