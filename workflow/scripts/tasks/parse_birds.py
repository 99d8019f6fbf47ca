"""Turn the birds' archives into tables."""

from pathlib import Path

from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.birds.cub import parse_captions, parse_images
from neuralese.tasks.birds.tables import CAPTIONS, IMAGES

with stage(snakemake):
    raw = Path(snakemake.input.raw)
    images = parse_images(raw / "images", raw / "splits")
    write_table(snakemake.output.images, images, IMAGES)
    write_table(snakemake.output.captions, parse_captions(raw / "captions", images), CAPTIONS)
