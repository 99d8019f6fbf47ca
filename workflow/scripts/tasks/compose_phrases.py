"""Put phrases together to translate recorded messages."""

import pandas as pd

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.talk import TalkRun
from neuralese.translate.choice import chosen_criteria
from neuralese.translate.criteria import make_criterion
from neuralese.translate.dictionary import entries
from neuralese.translate.families import named
from neuralese.translate.pairs import SINGLE
from neuralese.translate.synthesis import CONTEXTS, SynthesisConfig, bags_table, new_phrases

with stage(snakemake):
    params, wildcards, made = snakemake.params, snakemake.wildcards, snakemake.output
    run, config = (
        TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game),
        SynthesisConfig(**params.synthesis),
    )
    few, settings = (
        run.contexts(CONTEXTS),
        named(chosen_criteria(run.files["criteria.parquet"])["R->H"], params.criterion),
    )
    criterion, said = make_criterion(settings), {split: run.neuralese(split) for split in ("dev", "test")}
    bags, scores = new_phrases(criterion, said["dev"], run.english.spoken(), few, config)
    rows = [entries("R->H", "synthesis", said["dev"], bags, scores, params.n_best)]
    scores = criterion.scores(said["test"], bags, few, dtype=SINGLE)
    rows.append(entries("R->H", "synthesis", said["test"], bags, scores, params.n_best))
    about = {"criteria": {"R->H": {"synthesis": settings}}, "contexts": CONTEXTS, "otherwise": params.criterion}
    write_table(made.bags, bags_table(bags), "bags")
    write_table(made.dictionary, pd.concat(rows, ignore_index=True), "dictionary", about)
