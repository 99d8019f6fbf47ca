"""Fit p(z | x) to recorded messages."""

from neuralese.pipeline.stage import stage
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.kinds import save_speaker
from neuralese.tasks.corpus.recorded import fit_speaker, load_recorded
from neuralese.tasks.run import Run

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = Run(wildcards.task, snakemake.input, wildcards.seed, params.game)
    recorded = load_recorded(run.files["recorded.parquet"])
    speaker = fit_speaker(run.states, recorded, FitConfig(**params.fit), run.generator("robot speaker"))
    save_speaker(snakemake.output[0], speaker)
