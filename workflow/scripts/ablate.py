"""Compare all criteria on dev and test."""

import pandas as pd

from neuralese.evaluate.ablation import Ablation
from neuralese.evaluate.belief import HumanSpeech
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.judge import JudgeRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = JudgeRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    ablation = Ablation(
        run.english,
        run.neuralese("train", params.messages),
        run.contexts(params.contexts),
        run.heard,
        params.families,
        run.listener,
        run.cell if run.states.asks else None,
    )
    tables = []
    for split in ("dev", "test"):
        random = run.generator(f"ablation {split}")
        traces = run.traces(split, random)
        human = HumanSpeech.draw(run.games[split], traces, run.silence, run.parts, params.humans, random)
        robot = run.said[split].first(params.messages)
        belief = ablation.run(run.listeners(split), robot, human, run.parts, params.resamples, random)
        tables.append(belief.assign(split=split))
    write_table(snakemake.output[0], run.label(pd.concat(tables)), "ablation")
