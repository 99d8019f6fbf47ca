"""Score candidate translations in both directions."""

from neuralese.stages import stage
from neuralese.stages.translate import score_dictionary
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    run = job.run
    write_table(job.output[0], score_dictionary(run, **job.settings), "dictionary", {"criteria": run.criteria})
