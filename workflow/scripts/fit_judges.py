"""Fit p(z | x) of the robots that judge translations of a corpus."""

from neuralese.speakers.models import save_model
from neuralese.stages import stage
from neuralese.stages.agents import fit_judge

with stage(snakemake) as job:
    for split, path in job.output.items():
        save_model(path, fit_judge(job.run, split, job.settings["fit"]))
