"""Choose criteria on dev games, and let two robots drive with every message translated into English and back."""

from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.relay import choose_relay, relay_driving
from neuralese.tasks.driving.tables import RELAY_CHOICE

with stage(snakemake) as job:
    criteria, relay, resamples = (job.settings[name] for name in ("criteria", "relay", "resamples"))
    choice = choose_relay(job.run, criteria, relay)
    write_table(job.output.choice, choice, RELAY_CHOICE)
    write_table(job.output.relay, relay_driving(job.run, choice, criteria, relay, resamples), "relay")
