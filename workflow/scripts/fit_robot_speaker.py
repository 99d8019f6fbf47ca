"""Fit p(z | x) of a trained agent."""

from neuralese.agents.cell import load_cell
from neuralese.agents.players import utterances
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.speakers.fit import fit_robot_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model

with stage(snakemake.log[0], snakemake.threads):
    params = snakemake.params
    random = generator(int(snakemake.wildcards.seed), "robot speaker")
    games = load_games(dict(snakemake.input.items()), params.max_steps)
    cell = load_cell(snakemake.input.agent, games["train"])
    said, held_out = (
        utterances(cell, games[split], count, random, independent=False)
        for split, count in (("train", params.states), ("dev", params.states // 10))
    )
    speaker = fit_robot_speaker(games["train"], said, held_out, cell.config.noise, FitConfig(**params.fit), random)
    save_model(snakemake.output[0], speaker)
