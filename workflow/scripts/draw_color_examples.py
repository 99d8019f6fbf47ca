"""Draw example translations of the colour game."""

from neuralese.data.provenance import data_kind
from neuralese.pipeline.stage import stage
from neuralese.report.examples import choose_examples, draw_examples
from neuralese.report.pictures import color_pixels
from neuralese.storage.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    messages, dictionary = (read_table(given[name], name).to_pandas() for name in ("messages", "dictionary"))
    examples = choose_examples(messages, dictionary, params.criterion, params.number)
    write_table(snakemake.output.examples, examples, "examples")
    draw_examples(
        snakemake.output.figures,
        examples,
        color_pixels(given, {*examples["target"], *examples["other"]}).__getitem__,
        f"Colours: the robot's message, translated by {params.criterion} (data: {data_kind(given.provenance)})",
    )
