"""Make the items of the bird game and the traces of what people said."""

from neuralese.stages import stage
from neuralese.stages.prepare import prepare_birds, write_files

with stage(snakemake):
    made = prepare_birds(snakemake.input, **snakemake.params.settings)
    write_files(snakemake.output, made)
