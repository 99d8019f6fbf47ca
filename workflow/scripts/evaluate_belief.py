"""Play the state-guessing game on one split."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.belief import HumanSpeech, Listeners, evaluate_belief, robot_guess
from neuralese.evaluate.translations import load_synthesis, load_translations, load_utterances
from neuralese.games.load import load_games
from neuralese.randomness import generator
from neuralese.speakers.models import HumanListener, RobotSpeaker, load_model
from neuralese.speakers.traces import load_silence, load_traces
from neuralese.stage import stage
from neuralese.tables import write_table

with stage(snakemake.log[0], snakemake.threads):
    split, given, params = snakemake.wildcards.split, snakemake.input, snakemake.params
    tables, seed = dict(given.items()), int(snakemake.wildcards.seed)
    random = generator(seed, f"belief {split}")
    game = load_games(tables)[split]
    robot = robot_guess(game, load_cell(given.agent, game), load_model(given.robot, RobotSpeaker, game))
    traces = load_traces(tables, game, split, random)
    said = read_messages(given.messages, game)
    human = HumanSpeech.draw(game, traces, load_silence(tables), params.held_out, random)
    translations = load_translations(tables, said[split], human, said["train"], random)
    translations["synthesis"] = load_synthesis(tables, said[split], human)
    translations["utterance"] = load_utterances(tables, human, translations["synthesis"])
    listeners = Listeners(game, robot, load_model(given.listener, HumanListener, game))
    belief = evaluate_belief(listeners, said[split], human, translations, params.resamples, random)
    belief = belief.assign(task=snakemake.wildcards.task, seed=seed, data=data_kind(given.provenance))
    write_table(snakemake.output[0], belief, "belief")
