"""Play a few driving games and draw them, with what was said in English."""

import pandas as pd

from neuralese.agents.cell import load_cell
from neuralese.config.models import RelayConfig
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.driving.loop import Robot
from neuralese.tasks.driving.side_by_side import watch_side_by_side
from neuralese.tasks.driving.tables import MAPS, RELAY_CHOICE, WATCHED
from neuralese.tasks.driving.watch import draw_animation, draw_strip, watch_games
from neuralese.tasks.talk import TalkRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    cell = load_cell(run.files["agent.safetensors"], run.states)
    choice = read_table(run.files["relay_choice.parquet"], RELAY_CHOICE).to_pandas()
    relayed = watch_side_by_side(run, Robot(cell), choice, params.criteria, RelayConfig(**params.relay), params.number)
    watched = pd.concat([watch_games(run, cell, params.criterion, params.number), relayed], ignore_index=True)
    write_table(snakemake.output.watched, watched, WATCHED)
    roads = read_table(run.files["maps.parquet"], MAPS)["road"].to_pylist()
    for pair, draw, path in (
        ("R/R", draw_strip, snakemake.output.robots),
        ("R/H", draw_strip, snakemake.output.mixed),
        ("R/R", draw_animation, snakemake.output.animation),
    ):
        first = watched[(watched["pair"] == pair) & (watched["game"] == 0)]
        red, blue = first["who"].iloc[:2]
        draw(path, first, roads, f"red: {red}, blue: {blue} (by {params.criterion}, data: {run.data})")
