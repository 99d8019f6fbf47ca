"""Draw example translations of the colour game."""

import numpy as np

from neuralese.data.provenance import data_kind
from neuralese.features.cielab import lab_to_rgb
from neuralese.report.examples import choose_examples, draw_examples
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    lab = read_table(given.colors, "colors").select(["L", "a", "b"]).to_pandas().to_numpy(dtype=np.float64)
    messages, dictionary = (read_table(given[name], name).to_pandas() for name in ("messages", "dictionary"))
    examples = choose_examples(messages, dictionary, params.criterion, params.number)
    write_table(snakemake.output.examples, examples, "examples")
    draw_examples(
        snakemake.output.figure,
        examples,
        lambda item: lab_to_rgb(lab[item : item + 1])[:, None],
        f"Colours: the robot's message, translated by {params.criterion} (data: {data_kind(given.provenance)})",
    )
