"""Translate the robot's messages into English and back, and let a robot hear the result."""

from neuralese.stages import stage
from neuralese.stages.evaluate import relay
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    table, choices = relay(job.run, **job.settings)
    write_table(job.output[0], table, "relay", {"choices": choices.to_dict("records")})
