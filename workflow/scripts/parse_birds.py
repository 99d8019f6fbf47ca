"""Turn the birds' archives into tables."""

from pathlib import Path

from neuralese.data.cub import parse_captions, parse_images
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table

with stage(snakemake.log[0], snakemake.threads):
    raw = Path(snakemake.input.raw)
    images = parse_images(raw / "images", raw / "splits")
    write_table(snakemake.output.images, images, "images")
    write_table(snakemake.output.captions, parse_captions(raw / "captions", images), "captions")
