"""Choose a member of each family of criteria on dev."""

from neuralese.stages import stage
from neuralese.stages.report import collect
from neuralese.storage.tables import write_table
from neuralese.translate.families import choose

with stage(snakemake) as job:
    write_table(job.output[0], choose(collect(job.input, "ablation"), **job.settings), "criteria")
