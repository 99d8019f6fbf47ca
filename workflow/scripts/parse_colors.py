"""Parse the colour survey, and make the items of the game and the traces of what people said."""

from neuralese.stages import stage
from neuralese.stages.prepare import parse_colors, write_files
from neuralese.tasks.colors.data import COLORS

with stage(snakemake):
    made = parse_colors(snakemake.input.raw, **snakemake.params.settings)
    write_files(snakemake.output, made, [COLORS])
