"""Fit the human speakers of either half and the model human listener."""

from neuralese.speakers.models import save_model
from neuralese.stages import stage
from neuralese.stages.agents import fit_human_listener, fit_human_speaker

with stage(snakemake) as job:
    save_model(job.output.speaker, fit_human_speaker(job.run, **job.settings))
    save_model(job.output.judging, fit_human_speaker(job.run, half="judging", **job.settings))
    save_model(job.output.listener, fit_human_listener(job.run, **job.settings))
