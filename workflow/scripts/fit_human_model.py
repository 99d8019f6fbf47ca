"""Fit the human speaker or the model human listener."""

from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.speakers.fit import fit_human_listener, fit_human_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.speakers.traces import load_heard, load_silence, load_traces

with stage(snakemake.log[0], snakemake.threads):
    model, tables = snakemake.wildcards.model, dict(snakemake.input.items())
    random = generator(int(snakemake.wildcards.seed), f"human {model}")
    game = load_games(tables)["train"]
    said, held_out = (load_traces(tables, game, split, random) for split in ("train", "dev"))
    config = FitConfig(**snakemake.params.fit)
    if model == "speaker":
        heard = load_heard(tables) if "words" in tables and not config.plain_human else None
        silence = None if config.plain_human else load_silence(tables)
        fitted = fit_human_speaker(game, said, held_out, config, random, silence, heard)
    else:
        fitted = fit_human_listener(game, said, held_out, config, random)
    save_model(snakemake.output[0], fitted)
