"""Choose a member of each family of criteria on dev."""

from neuralese.stages import stage
from neuralese.stages.report import collect
from neuralese.stages.translate import choose_criteria
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    write_table(job.output[0], choose_criteria(collect(job.input, "ablation"), **job.settings), "criteria")
