"""Check the two propositions on random games, and compare the bound with the loss on the real tasks."""

import pandas as pd

from neuralese.pipeline.stage import stage
from neuralese.report.theory import draw_theory
from neuralese.storage.tables import read_table, write_table
from neuralese.theory.propositions import RARITIES, check_proposition_1, recovery

with stage(snakemake):
    params, made = snakemake.params, snakemake.output
    lost = check_proposition_1(params.games, seed=0)
    recovered = recovery(RARITIES, max(1, params.games // 100), seed=0)
    write_table(made.proposition_1, lost, "proposition_1")
    write_table(made.proposition_2, recovered, "proposition_2")
    bounds = [read_table(path, "bound").to_pandas() for path in snakemake.input]
    write_table(made.bound, pd.concat(bounds, ignore_index=True), "bound")
    draw_theory(lost, recovered, *made.figures)
