"""Let a trained agent speak, and draw the contexts in which messages are compared."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import sample_messages, states_table
from neuralese.agents.players import utterances
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.storage.tables import write_table

with stage(snakemake.log[0], snakemake.threads):
    random = generator(int(snakemake.wildcards.seed), "messages")
    counts = snakemake.params.counts
    games = load_games(dict(snakemake.input.items()), snakemake.params.max_steps)
    cell = load_cell(snakemake.input.agent, games["train"])
    sizes = {"train": counts["vocabulary"], "dev": counts["held_out"], "test": counts["held_out"]}
    write_table(snakemake.output.messages, sample_messages(cell, games, sizes, random), "messages")
    contexts, _ = utterances(cell, games["train"], counts["contexts"], random)
    write_table(snakemake.output.contexts, states_table(games["train"], contexts, "context_id"), "contexts")
