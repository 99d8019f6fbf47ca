"""Score candidate translations in both directions."""

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.talk import TalkRun
from neuralese.translate.choice import chosen_criteria
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.meanings import write_meanings

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = TalkRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    candidates, criteria = run.contexts(), chosen_criteria(run.files["criteria.parquet"])
    dictionary = build_dictionary(
        run.english,
        run.utterances,
        spoken=[run.neuralese("dev"), run.neuralese("test")],
        vocabulary=run.neuralese("train"),
        candidates=candidates,
        criteria=criteria,
        n_best=params.n_best,
    )
    write_meanings(snakemake.output.meanings, run.english, run.neuralese("train"), candidates)
    write_table(snakemake.output.dictionary, dictionary, "dictionary", about={"criteria": criteria})
