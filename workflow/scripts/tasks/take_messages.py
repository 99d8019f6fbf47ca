"""Take a vocabulary, held-out messages and contexts from recordings."""

from neuralese.agents.messages import states_table
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.corpus.recorded import load_recorded, take_contexts, take_messages
from neuralese.tasks.run import Run

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = Run(wildcards.task, snakemake.input, wildcards.seed, params.game)
    recorded, random = load_recorded(run.files["recorded.parquet"]), run.generator("messages")
    messages = take_messages(run.states, recorded, params.counts, random)
    write_table(snakemake.output.messages, messages, "messages", recorded.about)
    contexts = take_contexts(run.states, recorded, params.counts["contexts"], random)
    write_table(snakemake.output.contexts, states_table(run.states, contexts, "context_id"), "contexts")
