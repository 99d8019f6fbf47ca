"""Read and check a corpus."""

from neuralese.stages import stage
from neuralese.tasks.corpus.data import write_corpus
from neuralese.tasks.corpus.read import read_corpus

with stage(snakemake):
    write_corpus(read_corpus(snakemake.params.folder), dict(snakemake.output.items()))
