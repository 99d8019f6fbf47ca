"""Collect results and set them beside the paper's."""

import pandas as pd

from neuralese.evaluate.paper import compare, to_latex, to_markdown
from neuralese.files import write_text
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    belief = pd.concat([read_table(path, "belief").to_pandas() for path in snakemake.input], ignore_index=True)
    comparison = compare(belief)
    write_table(snakemake.output.belief, belief, "belief")
    write_text(snakemake.output.csv, comparison.to_csv(index=False))
    write_text(snakemake.output.tex, to_latex(comparison))
    write_text(snakemake.output.md, to_markdown(comparison))
