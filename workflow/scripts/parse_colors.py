"""Turn the colour survey's archive into a table."""

from pathlib import Path

from neuralese.data.provenance import write_provenance
from neuralese.data.xkcd import parse
from neuralese.features.cielab import add_lab
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table

with stage(snakemake.log[0], snakemake.threads):
    colors = add_lab(parse(Path(snakemake.input.raw) / "xkcd"))
    write_table(snakemake.output.colors, colors, "colors")
    write_provenance(snakemake.output.provenance, snakemake.input.raw, rows={"colors": len(colors)})
