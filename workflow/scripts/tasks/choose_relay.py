"""Choose on dev games which members of each family translate between two robots."""

from neuralese.agents.cell import load_cell
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.relay_choice import choose_relay
from neuralese.tasks.driving.settings import RelayConfig
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.tasks.talk import TalkRun

with stage(snakemake.log[0], snakemake.threads):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    cell = load_cell(run.files["agent.safetensors"], run.states)
    table = choose_relay(run, cell, params.families, RelayConfig(**params.relay))
    write_table(snakemake.output[0], table, RELAY_CHOICE)
