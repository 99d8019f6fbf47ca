"""Train the layer whose activations the players see of a bird."""

from neuralese.stages import stage
from neuralese.stages.prepare import train_head, write_files
from neuralese.tasks.birds.data import FEATURES

with stage(snakemake):
    made = train_head(snakemake.input.images, snakemake.input.pooled, **snakemake.params.settings)
    write_files(snakemake.output, made, [FEATURES])
