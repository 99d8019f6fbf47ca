"""Fit p(z | x) of the robots that judge translations of a corpus."""

from neuralese.speakers.robots import save_robot
from neuralese.stages import stage
from neuralese.stages.agents import fit_judge

with stage(snakemake) as job:
    for split, path in job.output.items():
        save_robot(path, fit_judge(job.run, split, job.settings["fit"]))
