"""List everything that humans said in one go."""

from neuralese.stages import stage
from neuralese.stages.translate import list_utterances
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], list_utterances(job.run), "utterances")
