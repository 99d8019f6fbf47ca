"""Fetch a task's raw data."""

from neuralese import tasks
from neuralese.pipeline.stage import stage
from neuralese.sources.fetch import fetch, mirror_folder

with stage(snakemake):
    task = snakemake.wildcards.task
    fetch(
        tasks.get(task).data_set,
        snakemake.output[0],
        source=snakemake.params.source,
        mirror=mirror_folder(snakemake.config["data"]["mirror"]),
        partial=snakemake.params.partial,
        embed=tasks.part(task, "embedded").write,
    )
