"""List everything that humans said in one go."""

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.human import HumanRun
from neuralese.translate.utterances import SPLITS, utterances_table

with stage(snakemake):
    run = HumanRun(snakemake.wildcards.task, snakemake.input, game=snakemake.params.game)
    random = run.generator("utterances")  # for distractors, which are not used
    traces = {split: run.traces(split, random) for split in SPLITS}
    write_table(snakemake.output[0], utterances_table(run.phrases, traces), "utterances")
