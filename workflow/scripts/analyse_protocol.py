"""Measure how much the robot's messages say, and about what."""

import pandas as pd
import torch

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.evaluate.influence import influence
from neuralese.evaluate.protocol import analyse
from neuralese.pipeline.stage import stage
from neuralese.report.protocol import draw_protocol
from neuralese.speakers.models import RobotSpeaker, load_model
from neuralese.storage.tables import write_table
from neuralese.tasks.variables import VariableRun

with stage(snakemake), torch.no_grad():
    wildcards = snakemake.wildcards
    run = VariableRun(wildcards.task, snakemake.input, wildcards.seed, snakemake.params.game)
    heard = read_messages(run.files["messages.parquet"], run.states)["test"]
    robot = load_model(run.files["robot_speaker.safetensors"], RobotSpeaker, run.states)
    said, variables = robot.mean(run.states.speaker_view(heard.states)).numpy(), run.variables(heard.states)
    cell = load_cell(run.files["agent.safetensors"], run.states)
    spoken = influence(cell, run.games["test"], robot, heard, run.generator("influence"))
    protocol = run.label(pd.concat([analyse(said, heard.messages.numpy(), variables), spoken]))
    write_table(snakemake.output.table, protocol, "protocol")
    title = f"{run.task}, seed {run.seed} (data: {run.data})"
    draw_protocol(snakemake.output.figure, said, variables, protocol, title)
