"""Score candidate translations in both directions."""

from neuralese.stages import stage
from neuralese.stages.translate import score_dictionary
from neuralese.storage.tables import write_table
from neuralese.translate.meanings import write_meanings

with stage(snakemake) as job:
    run = job.run
    write_table(job.output.dictionary, score_dictionary(run, **job.settings), "dictionary", {"criteria": run.criteria})
    write_meanings(job.output.meanings, run.english, run.neuralese("train"), run.contexts())
