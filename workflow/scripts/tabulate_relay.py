"""Collect the relays of all tasks and seeds."""

import pandas as pd

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table

with stage(snakemake):
    parts = [read_table(path, "relay").to_pandas() for path in snakemake.input]
    write_table(snakemake.output[0], pd.concat(parts, ignore_index=True), "relay")
