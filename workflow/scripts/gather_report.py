"""Draw example translations, and gather the data of the report for one task and seed."""

from neuralese.stages import stage
from neuralese.stages.report import draw_examples, gather_report
from neuralese.storage.files import write_json
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output.examples, draw_examples(job.run, **job.settings, figures=job.output.figures), "examples")
    write_json(job.output.report, gather_report(job.run, job.settings["criterion"]))
