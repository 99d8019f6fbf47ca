"""Collect the ablations and what was chosen, and draw them."""

from neuralese.stages import stage
from neuralese.stages.report import collect, tabulate_ablation
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    ablation, criteria = (collect(job.inputs[f"{name}.parquet"], name) for name in ("ablation", "criteria"))
    write_table(job.output.table, tabulate_ablation(ablation, criteria, job.output.figures), "ablation")
    write_table(job.output.criteria, criteria, "criteria")
