"""Let a robot drive with a model human who listens."""

import numpy as np

from neuralese.agents.cell import load_cell
from neuralese.config.models import RelayConfig
from neuralese.pipeline.stage import stage
from neuralese.speakers.models import load_model
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.driving.driver import HumanDriver
from neuralese.tasks.driving.listening import evaluate_listening, listening_table
from neuralese.tasks.driving.loop import Robot
from neuralese.tasks.driving.tables import RELAY_CHOICE
from neuralese.tasks.talk import TalkRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    robot = Robot(load_cell(run.files["agent.safetensors"], run.states))
    driver = load_model(run.files["driver.safetensors"], HumanDriver, run.states)
    choice = read_table(run.files["relay_choice.parquet"], RELAY_CHOICE).to_pandas()
    played = evaluate_listening(run, robot, driver, choice, params.criteria, RelayConfig(**params.relay))
    table = listening_table(played, params.resamples, np.random.default_rng(run.seed))
    write_table(snakemake.output[0], run.label(table), "listening")
