"""Fit the model human driver, and let a robot drive with it."""

from neuralese.speakers.models import save_model
from neuralese.stages import stage
from neuralese.storage.files import write_json
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.behavior import listen_driving
from neuralese.tasks.driving.model_human import fit_model_human

with stage(snakemake) as job:
    criteria, relay, resamples = (job.settings[name] for name in ("criteria", "relay", "resamples"))
    driver, held_out = fit_model_human(job.run, job.settings["fit"])
    save_model(job.output.driver, driver)
    write_json(job.output.held_out, held_out)
    write_table(job.output.listening, listen_driving(job.run, driver, criteria, relay, resamples), "listening")
