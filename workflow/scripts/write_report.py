"""Write the report."""

from neuralese import tasks
from neuralese.report.page import write_page
from neuralese.stages import stage

with stage(snakemake) as job:
    names, seeds, benchmarks = (job.settings[name] for name in ("names", "seeds", "benchmarks"))
    write_page(job.output[0], job.inputs, [tasks.get(name) for name in names], seeds, benchmarks)
