"""Gather what the report shows for one task and seed."""

from neuralese.stages import stage
from neuralese.stages.report import gather_report
from neuralese.storage.files import write_json

with stage(snakemake) as job:
    write_json(job.output[0], gather_report(job.run, **job.settings))
