"""Let robots drive with replayed humans of one split."""

import numpy as np

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.behavior import behavior_table, evaluate_behavior, load_humans, logged_games, voices
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.storage.tables import read_about, read_table, write_table
from neuralese.translate.utterances import load_parts

with stage(snakemake.log[0], snakemake.threads):
    split, given, params = snakemake.wildcards.split, snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    game = load_games(tables, params.max_steps)[split]
    random = generator(seed, f"behavior {split}")
    dictionary = read_table(given.dictionary, "dictionary").to_pandas()
    criteria = read_about(given.dictionary)["criteria"]["H->R"]
    ways = voices(dictionary, criteria, read_messages(given.messages, game)["train"], random)
    humans = load_humans(tables, split, load_parts(given.utterances))
    played = evaluate_behavior(load_cell(given.agent, game), game, humans, ways, params.fresh, random)
    played += logged_games(read_table(given.games, "games").to_pandas(), split)
    table = behavior_table(played, params.resamples, np.random.default_rng(seed))
    write_table(snakemake.output[0], table.assign(seed=seed, data=data_kind(given.provenance)), "behavior")
