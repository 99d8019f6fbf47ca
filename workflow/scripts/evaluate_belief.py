"""Play the state-guessing game on one split."""

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.belief import HumanSpeech, Listeners, evaluate_belief
from neuralese.games.load import load_reference_games
from neuralese.randomness import generator
from neuralese.speakers.models import HumanListener, load_model
from neuralese.speakers.traces import load_reference_traces
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    split, given, params = snakemake.wildcards.split, snakemake.input, snakemake.params
    seed = int(snakemake.wildcards.seed)
    random = generator(seed, f"belief {split}")
    game = load_reference_games(given.item_table)[split]
    traces = load_reference_traces(given.item_table, given.traces, given.inventory, split, random)
    said = read_messages(given.messages)
    belief = evaluate_belief(
        Listeners(game, load_cell(given.agent, game), load_model(given.listener, HumanListener, game)),
        robot=said[split],
        human=HumanSpeech.draw(traces, params.held_out, random),
        dictionary=read_table(given.dictionary, "dictionary").to_pandas(),
        vocabulary=said["train"],
        resamples=params.resamples,
        generator=random,
    )
    belief = belief.assign(task=snakemake.wildcards.task, seed=seed, data=data_kind(given.provenance))
    write_table(snakemake.output[0], belief, "belief")
