"""Make the colour game's inventory, items and human traces."""

from neuralese.stages import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.colors import xkcd
from neuralese.tasks.colors.tables import COLORS
from neuralese.tasks.items import items_table, traces_table

with stage(snakemake):
    colors = read_table(snakemake.input.colors, COLORS).to_pandas()
    inventory = xkcd.inventory(colors, snakemake.params.least_names)
    write_table(snakemake.output.inventory, inventory, "inventory")
    write_table(snakemake.output.item_table, items_table(colors["split"], colors[["L", "a", "b"]].to_numpy()), "items")
    said = xkcd.traces(colors, list(inventory["phrase"]))
    write_table(snakemake.output.traces, traces_table(range(len(colors)), phrases=said), "traces")
