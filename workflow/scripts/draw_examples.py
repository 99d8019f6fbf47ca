"""Draw example translations."""

from neuralese.pipeline.stage import stage
from neuralese.report.examples import choose_examples, draw_examples, shown_states
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.pictures import PictureRun

with stage(snakemake):
    params, wildcards = snakemake.params, snakemake.wildcards
    run = PictureRun(wildcards.task, snakemake.input, wildcards.seed, params.game)
    dictionary = read_table(run.files["dictionary.parquet"], "dictionary").to_pandas()
    examples = choose_examples(run.coded_messages(), dictionary, params.criterion, params.number)
    write_table(snakemake.output.examples, examples, "examples")
    title = f"{params.title}: the robot's message, translated by {params.criterion} (data: {run.data})"
    pictures = run.pixels(set(examples[shown_states(examples)].to_numpy().ravel().tolist()))
    draw_examples(snakemake.output.figures, examples, pictures, title, params.names)
