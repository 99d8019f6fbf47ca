"""Play the state-guessing game on one split."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.belief import HumanSpeech
from neuralese.evaluate.listeners import Listeners
from neuralese.evaluate.protocols import under_every_protocol
from neuralese.evaluate.translations import load_synthesis, load_ways
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.randomness import generator
from neuralese.speakers.models import HumanListener, RobotSpeaker, load_model
from neuralese.speakers.traces import load_silence, load_traces
from neuralese.storage.tables import write_table
from neuralese.translate.utterances import load_parts

with stage(snakemake.log[0], snakemake.threads):
    split, given, params = snakemake.wildcards.split, snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    random = generator(seed, f"belief {split}")
    game = load_games(tables)[split]
    cell, human_listener = load_cell(given.agent, game), load_model(given.listener, HumanListener, game)
    listeners = Listeners.of(game, cell, load_model(given.robot, RobotSpeaker, game), human_listener)
    traces = load_traces(tables, game, split, random)
    said = read_messages(given.messages, game)
    parts = load_parts(given.utterances)
    human = HumanSpeech.draw(game, traces, load_silence(tables), parts, params.held_out, random)
    ways = load_ways(tables, said[split], human, said["train"], params.phrases_heard, random)
    ways += load_synthesis(tables, said[split], human, ways, cell, random)
    belief = under_every_protocol(listeners, said[split], human, ways, params.resamples, random)
    belief = belief.assign(task=snakemake.wildcards.task, seed=seed, data=data_kind(given.provenance))
    write_table(snakemake.output[0], belief, "belief")
