"""Choose on dev games which members of each family translate between two robots."""

from neuralese.stages import stage
from neuralese.stages.driving import choose_relay
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.tables import RELAY_CHOICE

with stage(snakemake) as job:
    write_table(job.output[0], choose_relay(job.run, **job.settings), RELAY_CHOICE)
