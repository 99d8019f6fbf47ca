"""Let robots drive with replayed humans of the test games."""

from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.behavior import evaluate_behavior

with stage(snakemake) as job:
    write_table(job.output[0], evaluate_behavior(job.run, "test", **job.settings), "behavior")
