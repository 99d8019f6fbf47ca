"""Fit the model human driver, and measure what words add to the prediction of held-out moves."""

from neuralese.pipeline.stage import stage
from neuralese.speakers.models import save_model
from neuralese.storage.files import write_json
from neuralese.tasks.driving.driver import FITTING, fit_driver, load_moves, measured
from neuralese.tasks.human import HumanRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = HumanRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    moves = {split: load_moves(run.files, split) for split in ("train", "dev", "test")}
    fit, random = FITTING.model_copy(update=params.fit), run.generator("human driver")
    driver = fit_driver(run.states, moves["train"], moves["dev"], fit, random)
    save_model(snakemake.output.driver, driver)
    write_json(snakemake.output.held_out, measured(driver, moves, run.heard, run.phrases) | {"data": run.data})
