"""Write the network that looks at birds, with its pooling, as a graph."""

from pathlib import Path

from neuralese.sources.archives import members
from neuralese.stages import stage
from neuralese.storage.files import write_bytes
from neuralese.storage.tables import read_table
from neuralese.tasks.birds.backbone import graph
from neuralese.tasks.birds.cub import PICTURES
from neuralese.tasks.birds.images import samples
from neuralese.tasks.birds.network import Backbone
from neuralese.tasks.birds.pooling import SEEN, principal_axes, with_pooling
from neuralese.tasks.birds.quantise import quantise
from neuralese.tasks.birds.tables import IMAGES

with stage(snakemake):
    params = snakemake.params
    images = read_table(snakemake.input.images, IMAGES).to_pandas()
    pictures = list(samples(members(Path(snakemake.input.raw) / "images", PICTURES), images, params.pixels, SEEN))
    network = graph(params.backbone, params.pixels)
    axes = principal_axes(Backbone.load(network), pictures, params.components)
    if params.quantised:
        network = quantise(network, pictures)
    write_bytes(snakemake.output[0], with_pooling(network, axes))
