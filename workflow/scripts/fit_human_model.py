"""Fit the human speaker or the model human listener."""

from neuralese.speakers.models import save_model
from neuralese.stages import stage
from neuralese.stages.agents import fit_human_listener, fit_human_speaker

with stage(snakemake) as job:
    fit = {"speaker": fit_human_speaker, "listener": fit_human_listener}[job.wildcards["model"]]
    save_model(job.output[0], fit(job.run, **job.settings))
