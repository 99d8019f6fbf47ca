"""Draw example translations."""

from neuralese.stages import stage
from neuralese.stages.report import draw_examples
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output.examples, draw_examples(job.run, **job.settings, figures=job.output.figures), "examples")
