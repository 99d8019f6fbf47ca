"""Train one agent."""

from neuralese.agents.cell import save_cell
from neuralese.stages import stage
from neuralese.stages.agents import train_agent
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    resumed = {"checkpoints": job.params["checkpoints"], "code": job.params["code"]}
    cell, history = train_agent(job.run, **job.settings, **resumed)
    save_cell(job.output.agent, cell)
    write_table(job.output.history, history, "history")
