"""Join the shards of pooled features, and of what could not be read."""

from neuralese.stages import stage
from neuralese.storage.files import read_json, write_json
from neuralese.tasks.birds.images import gather_shards

with stage(snakemake):
    gather_shards(snakemake.output.pooled, snakemake.input.pooled)
    failed = {path: why for part in snakemake.input.failed for path, why in read_json(part).items()}
    write_json(snakemake.output.failed, dict(sorted(failed.items())))
