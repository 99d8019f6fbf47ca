"""Fit p(z | x) to recorded messages, and the models that judge translations."""

from neuralese.pipeline.stage import stage
from neuralese.speakers.fitting import FitConfig
from neuralese.tasks.corpus.recorded import fit_speakers, load_recorded
from neuralese.tasks.run import Run

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = Run(wildcards.task, snakemake.input, wildcards.seed, params.game)
    recorded = load_recorded(run.files["recorded.parquet"])
    fit_speakers(run, recorded, FitConfig(**params.fit), snakemake.output)
