"""Fit p(z | x) of a trained agent."""

from neuralese.agents.cell import load_cell
from neuralese.agents.players import speak
from neuralese.games.load import load_reference_games
from neuralese.randomness import generator
from neuralese.speakers.fit import fit_robot_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.stage import stage

with stage(snakemake.log[0], snakemake.threads):
    random = generator(int(snakemake.wildcards.seed), "robot speaker")
    games = load_reference_games(snakemake.input.item_table)
    cell = load_cell(snakemake.input.agent, games["train"])
    said = {}
    for split, count in (("train", snakemake.params.states), ("dev", snakemake.params.states // 10)):
        states = games[split].draw_states(count, random)
        said[split] = (states, speak(cell, games[split], states))
    fit = FitConfig(**snakemake.params.fit)
    speaker = fit_robot_speaker(games["train"], said["train"], said["dev"], cell.config.noise, fit, random)
    save_model(snakemake.output[0], speaker)
