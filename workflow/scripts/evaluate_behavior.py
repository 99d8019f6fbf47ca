"""Let robots drive with replayed humans of one split."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.behavior import evaluate_behavior, load_humans, translations, ways_to_say
from neuralese.evaluate.translations import load_new_messages
from neuralese.games.load import load_games
from neuralese.randomness import generator
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    split, given, params = snakemake.wildcards.split, snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    game = load_games(tables, params.max_steps)[split]
    logged = read_table(given.games, "games").to_pandas()
    random = generator(seed, f"behavior {split}")
    dictionary, synthesis = (read_table(given[name], "dictionary").to_pandas() for name in ("dictionary", "synthesis"))
    ways = ways_to_say(dictionary, read_messages(given.messages, game)["train"], random)
    ways["synthesis"] = translations(synthesis, "synthesis", load_new_messages(tables)).__getitem__
    behavior = evaluate_behavior(
        load_cell(given.agent, game),
        game,
        load_humans(tables, split),
        logged[logged["split"] == split],
        ways,
        fresh=params.fresh,
        resamples=params.resamples,
        generator=random,
    )
    write_table(snakemake.output[0], behavior.assign(seed=seed, data=data_kind(given.provenance)), "behavior")
