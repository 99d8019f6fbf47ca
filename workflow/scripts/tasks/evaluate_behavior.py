"""Let robots drive with replayed humans of the test games."""

from neuralese.stages import stage
from neuralese.stages.driving import evaluate_behavior
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], evaluate_behavior(job.run, "test", **job.settings), "behavior")
