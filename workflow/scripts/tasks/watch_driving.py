"""Play a few driving games and record every turn, with the messages in English."""

from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.tables import WATCHED
from neuralese.tasks.driving.watch import watch_driving

with stage(snakemake) as job:
    write_table(job.output[0], watch_driving(job.run, **job.settings), WATCHED)
