"""Train one agent."""

from pathlib import Path

import pandas as pd

from neuralese.agents.cell import CellConfig, save_cell
from neuralese.agents.training import Trainer, TrainingConfig, checkpoint_path
from neuralese.files import file_digest
from neuralese.games.load import load_games
from neuralese.stage import stage
from neuralese.tables import write_table

with stage(snakemake.log[0], snakemake.threads):
    params, wildcards = snakemake.params, snakemake.wildcards
    game = load_games(dict(snakemake.input.items()), params.max_steps)["train"]
    trainer = Trainer(game, CellConfig(**params.cell), TrainingConfig(**params.training), int(wildcards.seed))
    data = [file_digest(path) for path in snakemake.input]
    made_from = (params.code, params.cell, params.training, params.max_steps, data)
    name = f"{wildcards.task}-seed{wildcards.seed}"
    trainer.run(checkpoint_path(Path(params.checkpoints), name, made_from))
    save_cell(snakemake.output.agent, trainer.cell)
    write_table(snakemake.output.history, pd.DataFrame(trainer.history), "history")
