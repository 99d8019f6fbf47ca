"""Make new messages for utterances and new phrases for messages."""

from neuralese.stages import stage
from neuralese.stages.translate import synthesise
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    made = synthesise(job.run, **job.settings)
    write_table(job.output.dictionary, made.dictionary, "dictionary", made.about)
    write_table(job.output.bags, made.bags, "bags")
    write_table(job.output.messages, made.messages, "messages")
