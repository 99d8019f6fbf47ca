"""Turn pooled features into the 256 numbers that players see of a bird."""

from neuralese.stages import stage
from neuralese.storage.files import write_json
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.birds.head import HeadConfig, bird_features
from neuralese.tasks.birds.tables import FEATURES, IMAGES, POOLED

with stage(snakemake):
    features, accuracy = bird_features(
        read_table(snakemake.input.pooled, POOLED),
        read_table(snakemake.input.images, IMAGES).to_pandas(),
        HeadConfig(**snakemake.params.head),
    )
    write_table(snakemake.output.features, features, FEATURES)
    write_json(snakemake.output.accuracy, accuracy)
