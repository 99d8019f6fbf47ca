"""Let two robots drive with every message translated into English and back."""

from neuralese.config.models import RelayConfig
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.driving.relay_table import play_relays, relay_table
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.tasks.judge import JudgeRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = JudgeRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    choice = read_table(run.files["relay_choice.parquet"], RELAY_CHOICE).to_pandas()
    played = play_relays(run, choice, params.criteria, RelayConfig(**params.relay))
    table = relay_table(played, params.resamples)
    write_table(snakemake.output[0], run.label(table), "relay")
