"""Let listeners guess states, and measure D and the accuracy lost by translation."""

from neuralese.stages import stage
from neuralese.stages.evaluate import evaluate_belief, measure_bound
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    settings = job.settings
    belief = evaluate_belief(job.run, "test", settings["held_out"], **settings["evaluation"])
    write_table(job.output.belief, belief, "belief")
    bound = measure_bound(job.run, belief, settings["messages"], settings["criterion"])
    write_table(job.output.bound, bound, "bound")
