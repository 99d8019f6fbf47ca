"""What the players see of a bird."""


rule pool_images:
    """Crop every bird, run the pretrained backbone on it and pool its feature maps."""
    input:
        raw=f"{RESULTS}/birds/raw",
        images=f"{RESULTS}/birds/images.parquet",
    output:
        pooled=f"{RESULTS}/birds/pooled.parquet",
        failed=f"{RESULTS}/birds/failed_images.json",
    log:
        f"{RESULTS}/logs/birds/pool_images.log",
    benchmark:
        f"{RESULTS}/benchmarks/birds/pool_images.tsv"
    threads: 2
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        backbone=config["birds"]["backbone"],
        pixels=config["birds"]["pixels"],
        pooled=config["birds"]["pooled"],
        code=code("features/backbone.py", "features/images.py", "features/pooling.py"),
    script:
        "../scripts/pool_images.py"


rule train_head:
    """Train a hidden layer to tell the species on training images; its activations are the features."""
    input:
        pooled=f"{RESULTS}/birds/pooled.parquet",
        images=f"{RESULTS}/birds/images.parquet",
    output:
        features=f"{RESULTS}/birds/features.parquet",
        accuracy=f"{RESULTS}/birds/head_accuracy.json",
    log:
        f"{RESULTS}/logs/birds/train_head.log",
    benchmark:
        f"{RESULTS}/benchmarks/birds/train_head.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=30,
    params:
        head=config["birds"]["head"],
        code=code("features/head.py"),
    script:
        "../scripts/train_head.py"


rule prepare_birds:
    """Make the inventory of bigrams, the items of the game and the traces of what humans said."""
    input:
        raw=f"{RESULTS}/birds/raw",
        images=f"{RESULTS}/birds/images.parquet",
        captions=f"{RESULTS}/birds/captions.parquet",
        features=f"{RESULTS}/birds/features.parquet",
        failed=f"{RESULTS}/birds/failed_images.json",
    output:
        inventory=f"{RESULTS}/birds/inventory.parquet",
        item_table=f"{RESULTS}/birds/items.parquet",
        traces=f"{RESULTS}/birds/traces.parquet",
        provenance=f"{RESULTS}/birds/provenance.json",
    log:
        f"{RESULTS}/logs/birds/prepare.log",
    benchmark:
        f"{RESULTS}/benchmarks/birds/prepare.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        bigrams=config["birds"]["bigrams"],
        code=code("data/cub.py", "features/items.py"),
    script:
        "../scripts/prepare_birds.py"
