"""Fit p(z | x) of a trained agent."""

from neuralese.agents.cell import load_cell
from neuralese.agents.players import utterances
from neuralese.pipeline.stage import stage
from neuralese.speakers.fit import fit_robot_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.tasks.run import Run

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = Run(wildcards.task, snakemake.input, wildcards.seed, params.game)
    random = run.generator("robot speaker")
    cell = load_cell(run.files["agent.safetensors"], run.states)
    said, held_out = (
        utterances(cell, run.games[split], count, random, independent=False)
        for split, count in (("train", params.states), ("dev", params.states // 10))
    )
    speaker = fit_robot_speaker(run.states, said, held_out, cell.config.noise, FitConfig(**params.fit), random)
    save_model(snakemake.output[0], speaker)
