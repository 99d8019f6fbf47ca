"""Train one agent."""

import logging
from pathlib import Path

import pandas as pd

from neuralese.agents.cell import CellConfig, save_cell, without_channel
from neuralese.agents.training import Trainer, TrainingConfig, checkpoint_path, on_data
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import data_digest, write_table
from neuralese.storage.weights import discard_broken
from neuralese.tasks.run import Run

log = logging.getLogger("neuralese.train_agent")

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = Run(wildcards.task, snakemake.input, wildcards.seed, params.game)
    training = on_data(TrainingConfig(**params.training), run.data)
    cell = CellConfig(**params.cell)
    if snakemake.rule == "train_silent":
        cell = without_channel(cell)
    trainer = Trainer(run.states, cell, training, run.seed)
    data = [data_digest(path) for name, path in run.files.items() if name != "provenance.json"]
    made_from = (params.code, cell, training, params.game, data)
    checkpoint = checkpoint_path(Path(params.checkpoints), f"{run.task}-seed{run.seed}", made_from)
    discard_broken(checkpoint)
    trainer.run(checkpoint)
    save_cell(snakemake.output.agent, trainer.cell)
    # the time taken differs from run to run: it goes into the log and the benchmark, not into a reproducible table
    log.info("trained for %.0f seconds", trainer.seconds)
    write_table(snakemake.output.history, pd.DataFrame(trainer.history).drop(columns="seconds"), "history")
