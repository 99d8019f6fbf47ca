"""Collect how robots drive with model humans who listen."""

import pandas as pd

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.driving.tables import LISTENING

with stage(snakemake):
    tables = [read_table(path, LISTENING).to_pandas() for path in snakemake.input]
    write_table(snakemake.output[0], pd.concat(tables, ignore_index=True), LISTENING)
