"""Choose on dev which member of each family of criteria translates."""

import pandas as pd

from neuralese.pipeline.stage import stage
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.choice import choose

with stage(snakemake):
    ablation = pd.concat([read_table(path, "ablation").to_pandas() for path in snakemake.input], ignore_index=True)
    write_table(snakemake.output[0], choose(ablation, snakemake.params.criteria), "criteria")
