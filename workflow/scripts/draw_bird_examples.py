"""Draw example translations of the bird game."""

from pathlib import Path

from neuralese.data.archives import members
from neuralese.data.cub import PICTURES
from neuralese.data.provenance import data_kind
from neuralese.features.images import crop
from neuralese.report.examples import choose_examples, draw_examples
from neuralese.stage import stage
from neuralese.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    messages, dictionary = (read_table(given[name], name).to_pandas() for name in ("messages", "dictionary"))
    examples = choose_examples(messages, dictionary, params.criterion, params.number)
    write_table(snakemake.output.examples, examples, "examples")
    image_of = read_table(given.item_table, "items")["image_id"].to_pylist()
    images = read_table(given.images, "images").to_pandas().set_index("image_id")
    shown = {images.loc[image_of[item], "path"]: item for item in {*examples["target"], *examples["other"]}}
    pictures = {
        shown[path]: crop(content, images.loc[image_of[shown[path]], "box"])
        for path, content in members(Path(given.raw) / "images", PICTURES)
        if path in shown
    }
    draw_examples(
        snakemake.output.figure,
        examples,
        pictures.__getitem__,
        f"Birds: the robot's message, translated by {params.criterion} (data: {data_kind(given.provenance)})",
    )
