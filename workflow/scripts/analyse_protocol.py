"""Measure the information in the robot's messages about each variable of the state."""

from neuralese.stages import stage
from neuralese.stages.agents import analyse_protocol, draw_protocol
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    protocol = analyse_protocol(job.run)
    write_table(job.output.table, protocol, "protocol")
    draw_protocol(job.run, protocol, job.output.figure)
