"""List everything that humans said at once."""

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.human import HumanRun
from neuralese.translate.utterances import SPLITS, utterances_table

with stage(snakemake):
    run = HumanRun(snakemake.wildcards.task, snakemake.input, game=snakemake.params.game)
    random = run.generator("utterances")  # distractors, of which none is looked at
    traces = {split: run.traces(split, random) for split in SPLITS}
    write_table(snakemake.output[0], utterances_table(run.phrases, traces), "utterances")
