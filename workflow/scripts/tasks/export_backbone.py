"""Write the network that looks at birds as a graph."""

from pathlib import Path

from neuralese.pipeline.stage import stage
from neuralese.sources.archives import members
from neuralese.storage.files import write_bytes
from neuralese.storage.tables import read_table
from neuralese.tasks.birds.backbone import graph
from neuralese.tasks.birds.cub import PICTURES
from neuralese.tasks.birds.images import samples
from neuralese.tasks.birds.quantise import SEEN, quantise
from neuralese.tasks.birds.tables import IMAGES

with stage(snakemake):
    params = snakemake.params
    network = graph(params.backbone, params.pixels)
    if params.quantised:
        images = read_table(snakemake.input.images, IMAGES).to_pandas()
        pictures = members(Path(snakemake.input.raw) / "images", PICTURES)
        network = quantise(network, samples(pictures, images, params.pixels, SEEN))
    write_bytes(snakemake.output[0], network)
