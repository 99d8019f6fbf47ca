"""Play a few driving games and draw them, with the messages in English."""

from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.tables import WATCHED
from neuralese.tasks.driving.watch import draw_games, watch_driving

with stage(snakemake) as job:
    watched, made = watch_driving(job.run, **job.settings), job.output
    write_table(made.watched, watched, WATCHED)
    draw_games(job.run, watched, job.settings["criterion"], made.robots, made.mixed, made.animation)
