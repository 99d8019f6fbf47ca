"""Turn the pictures of a shard into pooled features."""

from pathlib import Path

from neuralese.data.archives import members
from neuralese.data.cub import PICTURES
from neuralese.features.backbone import Backbone
from neuralese.features.images import Extraction, wanted, write_shard
from neuralese.pipeline.stage import stage
from neuralese.storage.files import write_json
from neuralese.storage.tables import read_table

with stage(snakemake.log[0], snakemake.threads):
    images = read_table(snakemake.input.images, "images").to_pandas()
    mine = wanted(images, int(snakemake.wildcards.shard), int(snakemake.wildcards.shards))
    extraction = Extraction(Backbone.load(snakemake.input.backbone), snakemake.params.pooled)
    pictures = members(Path(snakemake.input.raw) / "images", PICTURES)
    write_shard(snakemake.output.pooled, extraction.run(pictures, mine), total=len(mine))
    write_json(snakemake.output.failed, extraction.failed)
