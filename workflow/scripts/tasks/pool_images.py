"""Turn the pictures of a shard into pooled features."""

from pathlib import Path

from neuralese.sources.archives import members
from neuralese.stages import stage
from neuralese.storage.files import write_json
from neuralese.storage.tables import read_table
from neuralese.tasks.birds.cub import PICTURES
from neuralese.tasks.birds.images import Extraction, wanted, write_shard
from neuralese.tasks.birds.pooling import Extractor
from neuralese.tasks.birds.tables import IMAGES

with stage(snakemake):
    images = read_table(snakemake.input.images, IMAGES).to_pandas()
    mine = wanted(images, int(snakemake.wildcards.shard), int(snakemake.wildcards.shards))
    extraction = Extraction(Extractor.load(snakemake.input.backbone))
    pictures = members(Path(snakemake.input.raw) / "images", PICTURES)
    write_shard(snakemake.output.pooled, extraction.run(pictures, mine), total=len(mine))
    write_json(snakemake.output.failed, extraction.failed)
