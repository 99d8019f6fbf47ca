"""Collect one kind of result of every point of a sweep."""

from neuralese.pipeline.stage import stage
from neuralese.pipeline.sweep import tidy
from neuralese.storage.tables import read_table, write_table

with stage(snakemake):
    contract = snakemake.wildcards.table
    tables = [read_table(path, contract).to_pandas() for path in snakemake.input]
    write_table(snakemake.output[0], tidy(tables, snakemake.params.points), contract)
