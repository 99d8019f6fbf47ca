"""Parse the lists, the split and the captions of the bird images."""

from neuralese.stages import stage
from neuralese.stages.prepare import parse_birds, write_files
from neuralese.tasks.birds.data import CAPTIONS, IMAGES

with stage(snakemake):
    made = parse_birds(snakemake.input.raw)
    write_files(snakemake.output, made, [IMAGES, CAPTIONS])
