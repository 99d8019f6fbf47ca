"""Make the driving game's inventory, words and traces."""

from neuralese.stages import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.driving import logs
from neuralese.tasks.driving.tables import GAMES, TURNS, WORDS
from neuralese.tasks.items import traces_table

with stage(snakemake):
    made, params = snakemake.output, snakemake.params
    games, turns = (read_table(snakemake.input[each.name], each).to_pandas() for each in (GAMES, TURNS))
    messages = logs.training_messages(games, turns)
    words = logs.vocabulary(messages, params.least_words)
    inventory = logs.inventory(messages, params.least_sent, list(words["word"]))
    rows, phrases_said, words_said = logs.traces(turns, inventory["phrase"], words["word"])
    write_table(made.inventory, inventory, "inventory")
    write_table(made.words, words, WORDS)
    write_table(made.traces, traces_table(rows, phrases=phrases_said, words=words_said), "traces")
