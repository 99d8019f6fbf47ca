"""Write the network that looks at birds as a graph."""

from pathlib import Path

from neuralese.data.archives import members
from neuralese.data.cub import PICTURES
from neuralese.features.backbone import graph
from neuralese.features.images import samples
from neuralese.features.quantise import SEEN, quantise
from neuralese.pipeline.stage import stage
from neuralese.storage.files import write_bytes
from neuralese.storage.tables import read_table

with stage(snakemake.log[0], snakemake.threads):
    params = snakemake.params
    network = graph(params.backbone, params.pixels)
    if params.quantised:
        images = read_table(snakemake.input.images, "images").to_pandas()
        pictures = members(Path(snakemake.input.raw) / "images", PICTURES)
        network = quantise(network, samples(pictures, images, params.pixels, SEEN))
    write_bytes(snakemake.output[0], network)
