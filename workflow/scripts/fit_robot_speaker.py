"""Record messages of the robot, draw contexts, and fit p(z | x) to the messages."""

from neuralese.speakers.models import save_model
from neuralese.stages import stage
from neuralese.stages.agents import fit_robot_speaker, sample_messages
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    fit, counts = job.settings["fit"], job.settings["counts"]
    messages, about, contexts = sample_messages(job.run, counts)
    write_table(job.output.messages, messages, "messages", about)
    write_table(job.output.contexts, contexts, "contexts")
    save_model(job.output.speaker, fit_robot_speaker(job.run, fit, counts["fitted"]))
