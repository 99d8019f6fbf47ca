"""Send what the robot says into English and back, and let a robot hear it."""

from neuralese.evaluate.relay import Relay, made_messages, play_relay
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.judge import JudgeRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = JudgeRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    listeners = {split: run.listeners(split) for split in ("dev", "test")}
    relay = Relay(run.english.spoken(), run.neuralese("train"), run.contexts(params.contexts), listeners, run.heard)
    made = made_messages(run.files, relay.english, run.cell.config.noise)
    dev, test = run.said["dev"].first(params.messages), run.said["test"]
    table, choices = play_relay(relay, params.criteria, made, dev, test, params.resamples)
    write_table(snakemake.output[0], run.label(table), "relay", {"choices": choices.to_dict("records")})
