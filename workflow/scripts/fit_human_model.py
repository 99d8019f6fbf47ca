"""Fit the human speaker or the model human listener."""

from neuralese.pipeline.stage import stage
from neuralese.speakers.fit import fit_human_listener, fit_human_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.tasks.human import HumanRun

with stage(snakemake):
    params, wildcards, model = snakemake.params, snakemake.wildcards, snakemake.wildcards.model
    run, config = HumanRun(wildcards.task, snakemake.input, wildcards.seed, params.game), FitConfig(**params.fit)
    random = run.generator(f"human {model}")
    said, held_out = (run.traces(split, random) for split in ("train", "dev"))
    if model == "speaker":
        shared = None if config.plain_human or said.words is said.phrases else run.heard
        silence = None if config.plain_human else run.silence
        fitted = fit_human_speaker(run.states, said, held_out, config, random, silence, shared)
    else:
        fitted = fit_human_listener(run.states, said, held_out, config, random)
    save_model(snakemake.output[0], fitted)
