"""Check the two propositions on random games, and compare the bound with the loss on the tasks."""

from neuralese.stages import stage
from neuralese.stages.evaluate import check_theory
from neuralese.stages.report import collect, draw_theory
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    lost, recovered = check_theory(**job.settings)
    write_table(job.output.proposition_1, lost, "proposition_1")
    write_table(job.output.proposition_2, recovered, "proposition_2")
    write_table(job.output.bound, collect(job.input, "bound"), "bound")
    draw_theory(lost, recovered, job.output.figures)
