"""Measure the information in the robot's messages about each variable of the state."""

from neuralese.stages import stage
from neuralese.stages.agents import analyse_protocol
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], analyse_protocol(job.run), "protocol")
