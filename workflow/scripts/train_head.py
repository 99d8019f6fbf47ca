"""Turn pooled features into the 256 numbers that players see of a bird."""

from neuralese.features.head import HeadConfig, bird_features
from neuralese.pipeline.stage import stage
from neuralese.storage.files import write_json
from neuralese.storage.tables import read_table, write_table

with stage(snakemake.log[0], snakemake.threads):
    features, accuracy = bird_features(
        read_table(snakemake.input.pooled, "pooled"),
        read_table(snakemake.input.images, "images").to_pandas(),
        HeadConfig(**snakemake.params.head),
    )
    write_table(snakemake.output.features, features, "features")
    write_json(snakemake.output.accuracy, accuracy)
