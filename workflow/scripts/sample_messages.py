"""Let a trained agent speak, and draw the contexts in which messages are compared."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import on_data, sample_messages, states_table
from neuralese.agents.players import utterances
from neuralese.config.models import MessagesConfig
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.run import Run

with stage(snakemake):
    wildcards = snakemake.wildcards
    run = Run(wildcards.task, snakemake.input, wildcards.seed, snakemake.params.game)
    counts = on_data(MessagesConfig(**snakemake.params.counts), run.data)
    random, cell = run.generator("messages"), load_cell(run.files["agent.safetensors"], run.states)
    sizes = {"train": counts.vocabulary, "dev": counts.held_out, "test": counts.held_out}
    write_table(snakemake.output.messages, sample_messages(cell, run.games, sizes, random), "messages")
    contexts, _ = utterances(cell, run.states, counts.contexts, random)
    write_table(snakemake.output.contexts, states_table(run.states, contexts, "context_id"), "contexts")
