"""Measure D and the accuracy lost by translation on one task."""

import dataclasses

from neuralese.agents.messages import read_contexts, read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.bound import measured_bound
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.languages import English, Neuralese

with stage(snakemake.log[0], snakemake.threads):
    given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    game = load_games(dict(given.items()))["test"]
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    said = read_messages(given.messages, game)["test"]
    spoken = Neuralese(game, load_model(given.robot, RobotSpeaker, game), said.messages, said.ids)
    bound = measured_bound(
        dataclasses.replace(spoken, messages=said.messages[: params.messages], ids=said.ids[: params.messages]),
        English(game, load_model(given.human, HumanSpeaker, game), phrases).spoken(),
        game.candidates(read_contexts(given.contexts, game)),
        read_table(given.dictionary, "dictionary").to_pandas(),
        read_table(given.belief, "belief").to_pandas(),
        params.criterion,
    )
    bound = bound.assign(task=wildcards.task, seed=int(wildcards.seed), data=data_kind(given.provenance))
    write_table(snakemake.output[0], bound, "bound")
