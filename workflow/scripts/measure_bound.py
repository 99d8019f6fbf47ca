"""Measure D and the accuracy lost by translation on one task."""

from neuralese.evaluate.bound import measured_bound
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.talk import TalkRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    bound = measured_bound(
        run.neuralese("test", params.messages),
        run.english.spoken(),
        run.contexts(),
        read_table(run.files["dictionary.parquet"], "dictionary").to_pandas(),
        read_table(run.files["belief_test.parquet"], "belief").to_pandas(),
        params.criterion,
    )
    write_table(snakemake.output[0], run.label(bound), "bound")
