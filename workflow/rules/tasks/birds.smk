"""Birds: images and descriptions become items and traces, with a network's features of a bird."""


rule parse_birds:
    """Read the lists, the split and the descriptions of the bird images."""
    input:
        raw=f"{RESULTS}/birds/raw",
    output:
        images=f"{POINT}/birds/images.parquet",
        captions=f"{POINT}/birds/captions.parquet",
    log:
        f"{POINT}/logs/birds/parse.log",
    benchmark:
        f"{POINT}/benchmarks/birds/parse.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        code=code("tasks/parse_birds"),
    script:
        "../../scripts/tasks/parse_birds.py"


rule export_backbone:
    """Write the pretrained backbone with its pooling as a graph, quantised or not, fitted only to training images."""
    input:
        raw=f"{RESULTS}/birds/raw",
        images=f"{POINT}/birds/images.parquet",
    output:
        f"{POINT}/birds/backbone.onnx",
    log:
        f"{POINT}/logs/birds/export_backbone.log",
    benchmark:
        f"{POINT}/benchmarks/birds/export_backbone.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        backbone=lambda wildcards: at(wildcards)["birds"]["backbone"],
        pixels=lambda wildcards: at(wildcards)["birds"]["pixels"],
        quantised=lambda wildcards: at(wildcards)["birds"]["quantised"],
        components=lambda wildcards: at(wildcards)["birds"]["components"],
        code=code("tasks/export_backbone"),
    script:
        "../../scripts/tasks/export_backbone.py"


rule pool_images:
    """Crop every bird of a shard, run the backbone on it and pool its feature maps."""
    input:
        raw=f"{RESULTS}/birds/raw",
        images=f"{POINT}/birds/images.parquet",
        backbone=f"{POINT}/birds/backbone.onnx",
    output:
        pooled=temp(f"{POINT}/birds/pooled_{{shard}}_of_{{shards}}.parquet"),
        failed=temp(f"{POINT}/birds/failed_{{shard}}_of_{{shards}}.json"),
    log:
        f"{POINT}/logs/birds/pool_images_{{shard}}_of_{{shards}}.log",
    benchmark:
        f"{POINT}/benchmarks/birds/pool_images_{{shard}}_of_{{shards}}.tsv"
    wildcard_constraints:
        shard=r"\d+",
        shards=r"\d+",
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(30),
    params:
        code=code("tasks/pool_images"),
    script:
        "../../scripts/tasks/pool_images.py"


rule gather_pooled:
    """Join the shards; the table does not depend on their number."""
    input:
        pooled=shards(
            f"{POINT}/birds/pooled_{{shard}}_of_{{shards}}.parquet",
            lambda wildcards: at(wildcards)["birds"]["shards"],
        ),
        failed=shards(
            f"{POINT}/birds/failed_{{shard}}_of_{{shards}}.json",
            lambda wildcards: at(wildcards)["birds"]["shards"],
        ),
    output:
        pooled=f"{POINT}/birds/pooled.parquet",
        failed=f"{POINT}/birds/failed_images.json",
    log:
        f"{POINT}/logs/birds/gather_pooled.log",
    benchmark:
        f"{POINT}/benchmarks/birds/gather_pooled.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        code=code("tasks/gather_pooled"),
    script:
        "../../scripts/tasks/gather_pooled.py"


rule train_head:
    """Train a hidden layer to recognise the species on training images; its activations are the features."""
    input:
        pooled=f"{POINT}/birds/pooled.parquet",
        images=f"{POINT}/birds/images.parquet",
    output:
        features=f"{POINT}/birds/features.parquet",
        accuracy=f"{POINT}/birds/head_accuracy.json",
    log:
        f"{POINT}/logs/birds/train_head.log",
    benchmark:
        f"{POINT}/benchmarks/birds/train_head.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        head=lambda wildcards: at(wildcards)["birds"]["head"],
        code=code("tasks/train_head"),
    script:
        "../../scripts/tasks/train_head.py"


rule prepare_birds:
    """Make the inventory of bigrams, the items of the game and the traces of what humans said."""
    input:
        raw=f"{RESULTS}/birds/raw",
        images=f"{POINT}/birds/images.parquet",
        captions=f"{POINT}/birds/captions.parquet",
        features=f"{POINT}/birds/features.parquet",
        failed=f"{POINT}/birds/failed_images.json",
    output:
        inventory=f"{POINT}/birds/inventory.parquet",
        item_table=f"{POINT}/birds/items.parquet",
        traces=f"{POINT}/birds/traces.parquet",
        provenance=f"{POINT}/birds/provenance.json",
    log:
        f"{POINT}/logs/birds/prepare.log",
    benchmark:
        f"{POINT}/benchmarks/birds/prepare.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        bigrams=lambda wildcards: at(wildcards)["birds"]["bigrams"],
        code=code("tasks/prepare_birds"),
    script:
        "../../scripts/tasks/prepare_birds.py"
