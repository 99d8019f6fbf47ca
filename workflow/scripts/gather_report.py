"""Gather what the report shows of one task and seed."""

from neuralese.pipeline.stage import stage
from neuralese.report.page.gather import gather
from neuralese.storage.files import write_json

with stage(snakemake.log[0], snakemake.threads):
    wildcards = snakemake.wildcards
    shown = gather(dict(snakemake.input.items()), wildcards.task, int(wildcards.seed), snakemake.params.criterion)
    write_json(snakemake.output[0], shown)
