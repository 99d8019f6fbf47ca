"""Compare all criteria on dev and test."""

import pandas as pd

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import Speech, read_contexts, read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.ablation import Ablation, family
from neuralese.evaluate.belief import Listeners, robot_guess
from neuralese.games.load import load_games
from neuralese.games.reference import ReferenceGame
from neuralese.randomness import generator
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker, load_model
from neuralese.stage import stage
from neuralese.tables import read_table, write_table
from neuralese.translate.languages import English, Neuralese

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    games = load_games(tables)
    game = games["train"]
    speaker = load_model(given.robot, RobotSpeaker, game)
    said = {
        split: Speech(each.ids[: params.messages], each.states[: params.messages], each.messages[: params.messages])
        for split, each in read_messages(given.messages, game).items()
    }
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    ablation = Ablation(
        English(game, load_model(given.human, HumanSpeaker, game), phrases),
        Neuralese(game, speaker, said["train"].messages, said["train"].ids),
        game.candidates(read_contexts(given.contexts, game)[: params.contexts]),
        tables,
        family(),
        load_model(given.listener, HumanListener, game),
        load_cell(given.agent, game) if isinstance(game, ReferenceGame) else None,
    )
    parts = []
    for split in ("dev", "test"):
        robot = robot_guess(games[split], load_cell(given.agent, game), speaker)
        listeners = Listeners(games[split], robot, ablation.listener)
        random = generator(seed, f"ablation {split}")
        belief = ablation.run(listeners, said, split, params.humans, params.resamples, random)
        parts.append(belief.assign(split=split))
    table = pd.concat(parts).assign(task=snakemake.wildcards.task, seed=seed, data=data_kind(given.provenance))
    write_table(snakemake.output[0], table, "ablation")
