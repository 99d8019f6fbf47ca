"""Turn the colour survey's archive into a table."""

from pathlib import Path

from neuralese.sources.provenance import write_provenance
from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.colors.cielab import add_lab
from neuralese.tasks.colors.tables import COLORS
from neuralese.tasks.colors.xkcd import parse

with stage(snakemake):
    colors = add_lab(parse(Path(snakemake.input.raw) / "xkcd"))
    write_table(snakemake.output.colors, colors, COLORS)
    write_provenance(snakemake.output.provenance, snakemake.input.raw, rows={"colors": len(colors)})
