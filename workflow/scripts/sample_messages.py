"""Let the robot speak, and draw the contexts in which messages are compared."""

from neuralese.stages import stage
from neuralese.stages.agents import sample_messages
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    messages, about, contexts = sample_messages(job.run, **job.settings)
    write_table(job.output.messages, messages, "messages", about)
    write_table(job.output.contexts, contexts, "contexts")
