"""Parse the logs of the driving games, replay them, and make the traces of what people said."""

from neuralese.stages import stage
from neuralese.stages.prepare import parse_driving, write_files
from neuralese.tasks.driving.tables import GAMES, MAPS, TURNS, WORDS

with stage(snakemake):
    made = parse_driving(snakemake.input.raw, **snakemake.params.settings)
    write_files(snakemake.output, made, [MAPS, GAMES, TURNS, WORDS], about={"maps": snakemake.params.rules})
