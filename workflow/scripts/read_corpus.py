"""Read and check a corpus."""

from neuralese.stages import stage
from neuralese.tasks.corpus.export import write_tables
from neuralese.tasks.corpus.read import read_corpus

with stage(snakemake):
    write_tables(read_corpus(snakemake.params.folder), dict(snakemake.output.items()))
