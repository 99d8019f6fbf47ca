"""Make new messages for utterances and new phrases for messages."""

import pandas as pd
import torch

from neuralese.agents.cell import load_cell
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.talk import TalkRun
from neuralese.translate.choice import chosen_criteria
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import entries
from neuralese.translate.families import named
from neuralese.translate.languages import Composed
from neuralese.translate.pairs import SINGLE
from neuralese.translate.pragmatics import believe_by_playing
from neuralese.translate.synthesis import (
    CONTEXTS,
    DISTRACTORS,
    MessageMaker,
    SynthesisConfig,
    bags_table,
    believe_by_likelihood,
    new_phrases,
)

with stage(snakemake):
    params, wildcards, made = snakemake.params, snakemake.wildcards, snakemake.output
    run = TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    config, random = SynthesisConfig(**params.synthesis), run.generator("synthesis")
    few, spoken = run.contexts(CONTEXTS), {split: run.neuralese(split) for split in ("train", "dev", "test")}

    settings = named(chosen_criteria(run.files["criteria.parquet"])["R->H"], params.criterion)
    criterion = make_criterion(settings)
    bags, scores = new_phrases(criterion, spoken["dev"], run.english.spoken(), few, config)
    rows = [entries("R->H", "synthesis", spoken["dev"], bags, scores, params.n_best)]
    scores = criterion.scores(spoken["test"], bags, few, dtype=SINGLE)
    rows.append(entries("R->H", "synthesis", spoken["test"], bags, scores, params.n_best))
    del scores
    write_table(made.bags, bags_table(bags), "bags")

    drawn = [run.states.redraw(run.context_states, random) for _ in range(DISTRACTORS)]
    practice = run.states.candidates(torch.cat(drawn))
    ways = {"synthesis": believe_by_likelihood(spoken["train"], practice, config.scale)}
    if config.ask_judge and run.states.asks:
        cell = load_cell(run.files["agent.safetensors"], run.states)
        ways["synthesis-judge"] = believe_by_playing(cell, run.states, practice, random)
    told = Composed(run.english, run.parts[: len(run.phrases) + config.utterances])
    maker = MessageMaker(spoken["train"], few, practice, params.radius, config, random)
    messages, new = maker.make_all(told, ways)
    about = {"criteria": {"R->H": {"synthesis": settings}}, "contexts": CONTEXTS, "otherwise": params.criterion}
    write_table(made.dictionary, pd.concat([*rows, new], ignore_index=True), "dictionary", about)
    write_table(made.messages, messages, "messages")
