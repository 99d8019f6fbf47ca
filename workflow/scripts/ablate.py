"""Compare all criteria on dev and test."""

import pandas as pd

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import Speech, read_contexts, read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.ablation import Ablation
from neuralese.evaluate.belief import HumanSpeech
from neuralese.evaluate.listeners import Listeners
from neuralese.games.load import load_games
from neuralese.games.reference import ReferenceGame
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker, load_model
from neuralese.speakers.traces import load_heard, load_silence, load_traces
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.languages import English, Neuralese
from neuralese.translate.utterances import load_parts

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    games = load_games(tables)
    game = games["train"]
    speaker, cell = load_model(given.robot, RobotSpeaker, game), load_cell(given.agent, game)
    said = {
        split: Speech(each.ids[: params.messages], each.states[: params.messages], each.messages[: params.messages])
        for split, each in read_messages(given.messages, game).items()
    }
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    ablation = Ablation(
        English(game, load_model(given.human, HumanSpeaker, game), phrases),
        Neuralese(game, speaker, said["train"].messages, said["train"].ids),
        game.candidates(read_contexts(given.contexts, game)[: params.contexts]),
        load_heard(tables),
        params.families,
        load_model(given.listener, HumanListener, game),
        cell if isinstance(game, ReferenceGame) else None,
    )
    parts, utterances = [], load_parts(given.utterances)
    for split in ("dev", "test"):
        random = generator(seed, f"ablation {split}")
        traces = load_traces(tables, games[split], split, random)
        human = HumanSpeech.draw(games[split], traces, load_silence(tables), utterances, params.humans, random)
        listeners = Listeners.of(games[split], cell, speaker, ablation.listener)
        belief = ablation.run(listeners, said[split], human, utterances, params.resamples, random)
        parts.append(belief.assign(split=split))
    table = pd.concat(parts).assign(task=snakemake.wildcards.task, seed=seed, data=data_kind(given.provenance))
    write_table(snakemake.output[0], table, "ablation")
