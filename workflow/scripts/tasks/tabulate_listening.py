"""Collect how robots drive with model humans who listen."""

import pandas as pd

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table

with stage(snakemake):
    tables = [read_table(path, "listening").to_pandas() for path in snakemake.input]
    write_table(snakemake.output[0], pd.concat(tables, ignore_index=True), "listening")
