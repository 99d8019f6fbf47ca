"""Fit the model human driver, and measure what words add to the prediction of held-out moves."""

from neuralese.speakers.models import save_model
from neuralese.stages import stage
from neuralese.stages.driving import fit_driver
from neuralese.storage.files import write_json

with stage(snakemake) as job:
    driver, held_out = fit_driver(job.run, **job.settings)
    save_model(job.output.driver, driver)
    write_json(job.output.held_out, held_out)
