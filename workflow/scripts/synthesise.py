"""Make new messages for utterances and new phrases for messages."""

import pandas as pd
import pyarrow as pa
import torch

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_contexts, read_messages
from neuralese.games.load import load_games
from neuralese.games.reference import ReferenceGame
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.choice import chosen_criteria
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import entries
from neuralese.translate.families import named
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.pairs import SINGLE
from neuralese.translate.pragmatics import believe_by_playing
from neuralese.translate.synthesis import (
    SynthesisConfig,
    bags_table,
    believe_by_likelihood,
    new_message_entries,
    new_messages,
    new_messages_table,
    new_phrases,
)
from neuralese.translate.utterances import load_parts

with stage(snakemake.log[0], snakemake.threads):
    given, params, made = snakemake.input, snakemake.params, snakemake.output
    config, random = SynthesisConfig(**params.synthesis), generator(int(snakemake.wildcards.seed), "synthesis")
    game = load_games(dict(given.items()))["train"]
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    robot = load_model(given.robot, RobotSpeaker, game)
    said = read_messages(given.messages, game)
    neuralese = {split: Neuralese(game, robot, each.messages, each.ids) for split, each in said.items()}
    english = English(game, load_model(given.human, HumanSpeaker, game), phrases)
    states = read_contexts(given.contexts, game)
    few = game.candidates(states[: config.contexts])

    settings = named(chosen_criteria(given.criteria)["R->H"], params.criterion)
    criterion = make_criterion(settings)
    bags, scores = new_phrases(criterion, neuralese["dev"], english.spoken(), few, config)
    parts = [entries("R->H", "synthesis", neuralese["dev"], bags, scores, params.n_best)]
    scores = criterion.scores(neuralese["test"], bags, few, dtype=SINGLE)
    parts.append(entries("R->H", "synthesis", neuralese["test"], bags, scores, params.n_best))
    del scores
    write_table(made.bags, bags_table(bags), "bags")

    practice = game.candidates(torch.cat([game.redraw(states, random) for _ in range(config.distractors)]))
    ways = {"synthesis": believe_by_likelihood(neuralese["train"], practice, config.scale)}
    if config.ask_judge and isinstance(game, ReferenceGame):
        ways["synthesis-judge"] = believe_by_playing(load_cell(given.agent, game), game, practice, random)
    told = Composed(english, load_parts(given.utterances)[: len(phrases) + config.utterances])
    tables = []
    for name, believe in ways.items():
        messages, scores = new_messages(told, neuralese["train"], few, practice, believe, params.radius, config, random)
        first = sum(len(table) for table in tables)
        tables.append(new_messages_table(told.ids.tolist(), messages, name != "synthesis", first))
        parts.append(new_message_entries(name, told.texts(), tables[-1], scores))
    about = {"criteria": {"R->H": {"synthesis": settings}}, "contexts": config.contexts, "otherwise": params.criterion}
    write_table(made.dictionary, pd.concat(parts, ignore_index=True), "dictionary", about)
    write_table(made.messages, pa.concat_tables(tables), "messages")
