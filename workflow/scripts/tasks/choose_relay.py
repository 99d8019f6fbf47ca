"""Choose on dev games which members of each family translate between two robots."""

from neuralese.config.models import RelayConfig
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.relay_choice import choose_relay
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.tasks.judge import JudgeRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = JudgeRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    table = choose_relay(run, params.families, RelayConfig(**params.relay))
    write_table(snakemake.output[0], table, RELAY_CHOICE)
