"""Fit p(z | x) of a robot."""

from neuralese.speakers.robots import save_robot
from neuralese.stages import stage
from neuralese.stages.agents import fit_robot_speaker

with stage(snakemake) as job:
    save_robot(job.output[0], fit_robot_speaker(job.run, **job.settings))
