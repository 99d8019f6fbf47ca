"""Fetch a task's raw data."""

from neuralese import tasks
from neuralese.sources.fetch import fetch, mirror_folder
from neuralese.stages import stage

with stage(snakemake) as job:
    task = tasks.get(job.wildcards["task"])
    mirror = mirror_folder(job.config["data"]["mirror"])
    fetch(task.data_set, job.output[0], **job.settings, mirror=mirror, embed=task.embed)
