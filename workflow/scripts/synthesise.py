"""Make new messages for phrases and new phrases for messages."""

import torch

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_contexts, read_messages
from neuralese.games.load import load_games
from neuralese.games.reference import ReferenceGame
from neuralese.randomness import generator
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model
from neuralese.speakers.traces import load_traces
from neuralese.stage import stage
from neuralese.tables import read_table, write_table
from neuralese.translate.dictionary import synthesise
from neuralese.translate.languages import English, Neuralese
from neuralese.translate.pragmatics import believe_by_playing
from neuralese.translate.synthesis import SynthesisConfig, believe_by_likelihood, said_at_once

with stage(snakemake.log[0], snakemake.threads):
    given, params, made = snakemake.input, snakemake.params, snakemake.output
    config, random = SynthesisConfig(**params.synthesis), generator(int(snakemake.wildcards.seed), "synthesis")
    game = load_games(dict(given.items()))["train"]
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    robot = load_model(given.robot, RobotSpeaker, game)
    said = read_messages(given.messages, game)
    neuralese = {split: Neuralese(game, robot, each.messages, each.ids) for split, each in said.items()}
    states = read_contexts(given.contexts, game)
    traces = load_traces(dict(given.items()), game, "train", random)
    practice = game.candidates(torch.cat([game.redraw(states, random) for _ in range(config.distractors)]))
    if isinstance(game, ReferenceGame):
        believe = believe_by_playing(load_cell(given.agent, game), game, practice, random)
    else:
        believe = believe_by_likelihood(neuralese["train"], practice, config.scale)
    new = synthesise(
        English(game, load_model(given.human, HumanSpeaker, game), phrases),
        spoken=[neuralese["dev"], neuralese["test"]],
        vocabulary=neuralese["train"],
        candidates=game.candidates(states),
        practice=practice,
        settings=params.criterion,
        believe=believe,
        radius=params.radius,
        config=config,
        n_best=params.n_best,
        generator=random,
        utterances=said_at_once(traces.phrases, config.utterances),
    )
    about = {"criteria": {"synthesis": params.criterion}, "contexts": config.contexts}
    write_table(made.dictionary, new.dictionary, "dictionary", about)
    write_table(made.messages, new.messages, "messages")
    write_table(made.bags, new.bags, "bags")
    write_table(made.utterances, new.utterances, "utterances")
