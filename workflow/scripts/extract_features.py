"""Run the pretrained backbone on every bird and pool its feature maps."""

from neuralese.stages import stage
from neuralese.stages.prepare import extract_features

with stage(snakemake):
    params = snakemake.params.settings
    extract_features(snakemake.input, snakemake.output, **params, workers=snakemake.threads)
