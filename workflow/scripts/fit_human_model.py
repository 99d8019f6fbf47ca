"""Fit the human speaker or the model human listener."""

from neuralese.games.load import load_reference_games
from neuralese.randomness import generator
from neuralese.speakers.fit import fit_human_listener, fit_human_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.speakers.traces import load_reference_traces
from neuralese.stage import stage

with stage(snakemake.log[0], snakemake.threads):
    model = snakemake.wildcards.model
    random = generator(int(snakemake.wildcards.seed), f"human {model}")
    game = load_reference_games(snakemake.input.item_table)["train"]
    said, held_out = (
        load_reference_traces(
            snakemake.input.item_table, snakemake.input.traces, snakemake.input.inventory, split, random
        )
        for split in ("train", "dev")
    )
    fit = {"speaker": fit_human_speaker, "listener": fit_human_listener}[model]
    save_model(snakemake.output[0], fit(game, said, held_out, FitConfig(**snakemake.params.fit), random))
