"""Play the state-guessing game on one split."""

from neuralese.stages import stage
from neuralese.stages.evaluate import evaluate_belief
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], evaluate_belief(job.run, job.wildcards["split"], **job.settings), "belief")
