"""Play the state-guessing game on one split."""

from neuralese.evaluate.belief import HumanSpeech
from neuralese.evaluate.interpreted import Interpreter
from neuralese.evaluate.protocols import under_every_protocol
from neuralese.evaluate.translations import Said, load_synthesis, load_ways
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.judge import JudgeRun

with stage(snakemake):
    params, wildcards, split = snakemake.params, snakemake.wildcards, snakemake.wildcards.split
    run = JudgeRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    random = run.generator(f"belief {split}")
    traces = run.traces(split, random)
    human = HumanSpeech.draw(run.games[split], traces, run.silence, run.parts, params.held_out, random)
    said = Said(run.said[split], human, run.said["train"], run.heard, run.silence)
    ways = load_ways(run.files["dictionary.parquet"], said, params.phrases_heard, random)
    ways += load_synthesis(run.files, said, ways, run.cell, random)
    informed = Interpreter(run.english, run.neuralese("train"), run.heard, run.utterances.bags).way
    belief = under_every_protocol(run.listeners(split), said.robot, human, ways, params.resamples, random, informed)
    write_table(snakemake.output[0], run.label(belief).assign(words=run.words), "belief")
