"""Write the report."""

from neuralese.stages import stage
from neuralese.stages.report import write_report

with stage(snakemake) as job:
    write_report(job.output[0], job.inputs, **job.settings)
