"""Draw example translations, and gather the data of the report for one task and seed."""

from neuralese.report.explorer import gather
from neuralese.stages import stage
from neuralese.stages.report import draw_examples
from neuralese.storage.files import write_json
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output.examples, draw_examples(job.run, **job.settings, figures=job.output.figures), "examples")
    write_json(job.output.report, gather(job.run, job.settings["criterion"]))
