"""Measure how much the robot's messages say, and about what."""

from neuralese.stages import stage
from neuralese.stages.agents import analyse_protocol, draw_protocol
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    protocol = analyse_protocol(job.run)
    write_table(job.output.table, protocol, "protocol")
    draw_protocol(job.run, protocol, job.output.figure)
