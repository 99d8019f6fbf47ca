"""Run the pretrained backbone on every bird and pool its feature maps."""

from neuralese.pipeline.stage import stage
from neuralese.stages.prepare import extract_features

with stage(snakemake):
    given, made = snakemake.input, snakemake.output
    extract_features(given.raw, given.images, made, **snakemake.params.settings, workers=snakemake.threads)
