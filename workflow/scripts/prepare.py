"""Make the items and the traces of a task without stages of its own."""

from neuralese.stages import stage
from neuralese.stages.prepare import prepare, write_files

with stage(snakemake):
    made = prepare(snakemake.wildcards.task, snakemake.input.raw, snakemake.params.settings)
    write_files(snakemake.output, made)
