"""Draw example translations of the driving game."""

from neuralese.data.provenance import data_kind
from neuralese.pipeline.stage import stage
from neuralese.report.examples import choose_examples, draw_examples
from neuralese.report.roads import driving_codes, driving_picture
from neuralese.storage.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    messages, dictionary = (read_table(given[name], name).to_pandas() for name in ("messages", "dictionary"))
    roads = read_table(given.maps, "maps")["road"].to_pylist()
    examples = choose_examples(driving_codes(messages), dictionary, params.criterion, params.number)
    write_table(snakemake.output.examples, examples, "examples")
    title = f"Driving: the robot's message, translated by {params.criterion} (data: {data_kind(given.provenance)})"
    draw_examples(snakemake.output.figures, examples, driving_picture(roads), title, names=("speaker ★", "distractor"))
