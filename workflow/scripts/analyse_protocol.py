"""Measure how much the robot's messages say, and about what."""

import torch

from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.protocol import analyse
from neuralese.evaluate.variables import load_variables
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.report.protocol import draw_protocol
from neuralese.speakers.models import RobotSpeaker, load_model
from neuralese.storage.tables import write_table

with stage(snakemake.log[0], snakemake.threads), torch.no_grad():
    given, wildcards, tables = snakemake.input, snakemake.wildcards, dict(snakemake.input.items())
    game = load_games(tables)["test"]
    heard = read_messages(given.messages, game)["test"]
    said = load_model(given.robot, RobotSpeaker, game).mean(game.speaker_view(heard.states)).numpy()
    variables = load_variables(tables, game, heard.states)
    protocol = analyse(said, heard.messages.numpy(), variables)
    protocol = protocol.assign(task=wildcards.task, seed=int(wildcards.seed), data=data_kind(given.provenance))
    write_table(snakemake.output.table, protocol, "protocol")
    title = f"{wildcards.task}, seed {wildcards.seed} (data: {data_kind(given.provenance)})"
    draw_protocol(snakemake.output.figure, said, variables, protocol, title)
