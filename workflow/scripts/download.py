"""Fetch a task's raw data."""

from neuralese.data.embedded import GENERATORS
from neuralese.data.sources import DATA_SETS, fetch, mirror_folder
from neuralese.pipeline.stage import stage

with stage(snakemake.log[0], snakemake.threads):
    task = snakemake.wildcards.task
    fetch(
        DATA_SETS[task],
        snakemake.output[0],
        source=snakemake.params.source,
        mirror=mirror_folder(snakemake.config["data"]["mirror"]),
        partial=snakemake.params.partial,
        embed=GENERATORS[task],
    )
