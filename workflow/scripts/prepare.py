"""Make the inventory, the items and the traces of a task without its own rules."""

from neuralese import tasks
from neuralese.sources.provenance import write_provenance
from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.items import inventory_table

with stage(snakemake):
    given, made, params = snakemake.input, snakemake.output, snakemake.params
    prepared = tasks.get(snakemake.wildcards.task).prepare(given.raw, params.settings)
    write_table(made.inventory, inventory_table(prepared.phrases, prepared.traces), "inventory")
    write_table(made.item_table, prepared.items, "items")
    write_table(made.traces, prepared.traces, "traces")
    rows = prepared.rows or {"items": len(prepared.items), "traces": len(prepared.traces)}
    write_provenance(made.provenance, given.raw, rows)
