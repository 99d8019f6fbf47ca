"""Let robots drive with replayed humans of one split."""

import numpy as np

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_about, read_table, write_table
from neuralese.tasks.driving.behavior import behavior_table, evaluate_behavior, load_humans, logged_games, voices
from neuralese.tasks.driving.tables import GAMES
from neuralese.tasks.human import HumanRun
from neuralese.translate.utterances import load_parts

with stage(snakemake):
    params, wildcards, split = snakemake.params, snakemake.wildcards, snakemake.wildcards.split
    run = HumanRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    game, random = run.games[split], run.generator(f"behavior {split}")
    dictionary = read_table(run.files["dictionary.parquet"], "dictionary").to_pandas()
    criteria = read_about(run.files["dictionary.parquet"])["criteria"]["H->R"]
    ways = voices(dictionary, criteria, read_messages(run.files["messages.parquet"], game)["train"], random)
    humans = load_humans(run.files, split, load_parts(run.files["utterances.parquet"]), run.silence)
    cell = load_cell(run.files["agent.safetensors"], game)
    played = evaluate_behavior(cell, game, humans, ways, params.fresh, random)
    played += logged_games(read_table(run.files["games.parquet"], GAMES).to_pandas(), split)
    table = behavior_table(played, params.resamples, np.random.default_rng(run.seed))
    write_table(snakemake.output[0], run.label(table), "behavior")
