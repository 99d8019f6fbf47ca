"""Gather what the report shows for one task and seed."""

from neuralese.pipeline.stage import stage
from neuralese.report.page.gather import gather
from neuralese.storage.files import write_json
from neuralese.tasks.judge import JudgeRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = JudgeRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    write_json(snakemake.output[0], gather(run, params.criterion))
