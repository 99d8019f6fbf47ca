"""Play a few driving games and draw them, with what was said in English."""

from functools import partial

import pandas as pd

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_contexts, read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.behavior import load_humans, translations
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.report.watch import draw_animation, draw_strip, watch
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model
from neuralese.storage.tables import read_about, read_table, write_table
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import translate
from neuralese.translate.families import named
from neuralese.translate.languages import English, Neuralese
from neuralese.translate.utterances import load_parts

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    tables, random = dict(given.items()), generator(int(snakemake.wildcards.seed), "watch")
    game = load_games(tables, params.max_steps)["test"]
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    said = read_messages(given.messages, game)["train"]
    into_english = partial(
        translate,
        make_criterion(named(read_about(given.dictionary)["criteria"]["R->H"], params.criterion)),
        Neuralese(game, load_model(given.robot, RobotSpeaker, game), said.messages, said.ids),
        English(game, load_model(given.human, HumanSpeaker, game), phrases).spoken(),
        game.candidates(read_contexts(given.contexts, game)),
    )
    say = translations(read_table(given.dictionary, "dictionary").to_pandas(), params.criterion, said).__getitem__
    humans = load_humans(tables, "test", load_parts(given.utterances))[range(params.number)]
    said_by_humans = read_table(given.utterances, "utterances")["text"].to_pylist()
    cell = load_cell(given.agent, game)
    robots = watch(cell, game, game.reset(params.number, random), into_english, random)
    mixed = watch(cell, game, humans.world, into_english, random, (humans, say, said_by_humans))
    watched = pd.concat([robots.assign(pair="R/R"), mixed.assign(pair="R/H")], ignore_index=True)
    write_table(snakemake.output.watched, watched, "watched")
    roads = read_table(given.maps, "maps")["road"].to_pylist()
    for pair, draw, path in (
        ("R/R", draw_strip, snakemake.output.robots),
        ("R/H", draw_strip, snakemake.output.mixed),
        ("R/R", draw_animation, snakemake.output.animation),
    ):
        first = watched[(watched["pair"] == pair) & (watched["game"] == 0)]
        red, blue = first["who"].iloc[:2]
        data = data_kind(given.provenance)
        draw(path, first, roads, f"red: {red}, blue: {blue} (by {params.criterion}, data: {data})")
