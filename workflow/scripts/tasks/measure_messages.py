"""Measure what recorded messages say, and about what."""

from neuralese.pipeline.stage import stage
from neuralese.report.protocol import draw_measures
from neuralese.storage.tables import write_table
from neuralese.tasks.corpus.measured import measure
from neuralese.tasks.corpus.recorded import load_recorded
from neuralese.tasks.run import Run

with stage(snakemake):
    run = Run(snakemake.wildcards.task, snakemake.input, snakemake.wildcards.seed)
    protocol = run.label(measure(load_recorded(run.files["recorded.parquet"]), run.files["states.parquet"]))
    write_table(snakemake.output.table, protocol, "protocol")
    draw_measures(snakemake.output.figure, protocol, f"{run.task} (data: {run.data})")
