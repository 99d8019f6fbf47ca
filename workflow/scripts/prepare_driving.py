"""Make the driving game's inventory, words and traces."""

from neuralese.data import driving
from neuralese.features.items import traces_table
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    made, params = snakemake.output, snakemake.params
    games, turns = (read_table(snakemake.input[name], name).to_pandas() for name in ("games", "turns"))
    messages = driving.training_messages(games, turns)
    words = driving.vocabulary(messages, params.least_words)
    inventory = driving.inventory(messages, params.least_sent, list(words["word"]))
    rows, phrases_said, words_said = driving.traces(turns, inventory["phrase"], words["word"])
    write_table(made.inventory, inventory, "inventory")
    write_table(made.words, words, "words")
    write_table(made.traces, traces_table(rows, phrases=phrases_said, words=words_said), "traces")
