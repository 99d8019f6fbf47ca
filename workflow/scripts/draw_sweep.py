"""Draw how translation and protocol change with each swept value."""

from neuralese.pipeline.stage import stage
from neuralese.report.sweep import draw_sweep
from neuralese.storage.tables import read_table

with stage(snakemake):
    given, params = snakemake.input, snakemake.params
    belief, protocol = (read_table(given[name], name).to_pandas() for name in ("belief", "protocol"))
    draw_sweep(snakemake.output[0], belief, protocol, params.swept, params.criterion)
