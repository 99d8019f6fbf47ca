"""Draw how translation and protocol change with each swept value."""

from neuralese.report.sweep import draw_sweep
from neuralese.stages import stage
from neuralese.stages.report import collect

with stage(snakemake) as job:
    belief, protocol = (collect([job.input[name]], name) for name in ("belief", "protocol"))
    draw_sweep(job.output[0], belief, protocol, **job.settings)
