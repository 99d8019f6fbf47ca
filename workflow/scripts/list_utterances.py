"""List everything that humans said at once."""

from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.speakers.traces import load_traces
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.utterances import SPLITS, utterances_table

with stage(snakemake.log[0], snakemake.threads):
    tables = dict(snakemake.input.items())
    games = load_games(tables)
    phrases = read_table(snakemake.input.inventory, "inventory")["phrase"].to_pylist()
    random = generator(0, "utterances")  # distractors, of which none is looked at
    traces = {split: load_traces(tables, games[split], split, random) for split in SPLITS}
    write_table(snakemake.output[0], utterances_table(phrases, traces), "utterances")
