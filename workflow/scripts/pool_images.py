"""Turn pictures into pooled features."""

from pathlib import Path

from neuralese.data.archives import members
from neuralese.data.cub import PICTURES
from neuralese.features.backbone import Backbone
from neuralese.features.images import Extraction, write_pooled
from neuralese.files import write_json
from neuralese.stage import stage
from neuralese.tables import read_table

with stage(snakemake.log[0], snakemake.threads):
    images = read_table(snakemake.input.images, "images").to_pandas()
    wanted = {row.path: (row.image_id, tuple(row.box)) for row in images.itertuples()}
    params, threads = snakemake.params, snakemake.threads
    extraction = Extraction(Backbone.load(params.backbone, params.pixels, threads), params.pooled, threads)
    pictures = members(Path(snakemake.input.raw) / "images", PICTURES)
    write_pooled(snakemake.output.pooled, extraction.run(pictures, wanted), total=len(wanted))
    write_json(snakemake.output.failed, extraction.failed)
