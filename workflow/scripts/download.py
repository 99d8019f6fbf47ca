"""Fetch a task's raw data."""

from neuralese.stages import stage
from neuralese.stages.prepare import download

with stage(snakemake):
    params, mirror = snakemake.params, snakemake.config["data"]["mirror"]
    download(snakemake.wildcards.task, snakemake.output[0], params.source, mirror, params.partial)
