"""Let robots drive with replayed humans of one split."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.behavior import evaluate_behavior, load_humans
from neuralese.games.load import load_games
from neuralese.randomness import generator
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    split, given, params = snakemake.wildcards.split, snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    game = load_games(tables, params.max_steps)[split]
    logged = read_table(given.games, "games").to_pandas()
    behavior = evaluate_behavior(
        load_cell(given.agent, game),
        game,
        load_humans(tables, split),
        logged[logged["split"] == split],
        read_table(given.dictionary, "dictionary").to_pandas(),
        vocabulary=read_messages(given.messages, game)["train"],
        fresh=params.fresh,
        resamples=params.resamples,
        generator=generator(seed, f"behavior {split}"),
    )
    write_table(snakemake.output[0], behavior.assign(seed=seed, data=data_kind(given.provenance)), "behavior")
