"""Tables made from raw data: the items of the games and what people said about them."""


rule parse_colors:
    """Parse the colour survey, and make the items of the game and the traces of what people said."""
    input:
        raw="<raw>/colors/raw",
    output:
        colors="<data>/colors/colors.parquet",  # too large for Snakemake's report
        item_table="<data>/colors/items.parquet",
        inventory="<data>/colors/inventory.parquet",
        traces="<data>/colors/traces.parquet",
        utterances="<data>/colors/utterances.parquet",
        provenance="<data>/colors/provenance.json",
    log:
        "<logs>/colors/parse_colors.log",
    benchmark:
        "<benchmarks>/colors/parse_colors.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        settings=config_for("colors.least_names"),
        code=code("parse_colors", "colors"),
    script:
        "../scripts/parse_colors.py"


rule parse_birds:
    """Parse the lists, the split and the captions of the bird images."""
    input:
        raw="<raw>/birds/raw",
    output:
        images="<data>/birds/images.parquet",
        captions="<data>/birds/captions.parquet",
    log:
        "<logs>/birds/parse_birds.log",
    benchmark:
        "<benchmarks>/birds/parse_birds.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        code=code("parse_birds", "birds"),
    script:
        "../scripts/parse_birds.py"


rule extract_features:
    """Run the pretrained backbone on every bird and pool its feature maps, by statistics of the training images."""
    input:
        raw="<raw>/birds/raw",
        images="<data>/birds/images.parquet",
    output:
        backbone="<data>/birds/backbone.onnx",
        pooled="<data>/birds/pooled.parquet",
        failed="<data>/birds/failed_images.json",
    log:
        "<logs>/birds/extract_features.log",
    benchmark:
        "<benchmarks>/birds/extract_features.tsv"
    priority: FIRST
    threads: max(1, min(4, (os.cpu_count() or 1) // 2))  # a job with all cores would wait until all are idle
    resources:
        mem_mb=growing(3000),
        runtime=growing(30),
    params:
        settings=config_for("birds.backbone", "birds.pixels", "birds.quantised", "birds.components"),
        code=code("extract_features", "birds"),
    script:
        "../scripts/extract_features.py"


rule train_head:
    """Train a hidden layer to recognise the species on training images; its activations are the features."""
    input:
        images="<data>/birds/images.parquet",
        pooled="<data>/birds/pooled.parquet",
    output:
        features="<data>/birds/features.parquet",
        accuracy="<data>/birds/head_accuracy.json",
    log:
        "<logs>/birds/train_head.log",
    benchmark:
        "<benchmarks>/birds/train_head.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        settings=config_for("birds.head"),
        code=code("train_head", "birds"),
    script:
        "../scripts/train_head.py"


rule prepare_birds:
    """Make the inventory of bigrams, the items of the game and the traces of what people said."""
    input:
        raw="<raw>/birds/raw",
        images="<data>/birds/images.parquet",
        captions="<data>/birds/captions.parquet",
        features="<data>/birds/features.parquet",
        failed="<data>/birds/failed_images.json",
    output:
        item_table="<data>/birds/items.parquet",
        inventory="<data>/birds/inventory.parquet",
        traces="<data>/birds/traces.parquet",
        utterances="<data>/birds/utterances.parquet",
        provenance="<data>/birds/provenance.json",
    log:
        "<logs>/birds/prepare_birds.log",
    benchmark:
        "<benchmarks>/birds/prepare_birds.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        settings=config_for("birds.bigrams"),
        code=code("prepare_birds", "birds"),
    script:
        "../scripts/prepare_birds.py"


rule parse_driving:
    """Parse the logs of the driving games, check them by replaying, and make the traces of what people said."""
    input:
        raw="<raw>/driving/raw",
    output:
        maps="<data>/driving/maps.parquet",
        games=report("<data>/driving/games.parquet", category="Data", caption="../report/games.rst"),
        turns="<data>/driving/turns.parquet",
        words="<data>/driving/words.parquet",
        inventory="<data>/driving/inventory.parquet",
        traces="<data>/driving/traces.parquet",
        utterances="<data>/driving/utterances.parquet",
        provenance="<data>/driving/provenance.json",
    log:
        "<logs>/driving/parse_driving.log",
    benchmark:
        "<benchmarks>/driving/parse_driving.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        settings=config_for("driving.dev_games", "driving.test_games", "driving.least_sent", "driving.least_words"),
        rules=config_for("driving.distractors"),
        code=code("parse_driving", "driving"),
    script:
        "../scripts/parse_driving.py"


rule prepare:
    """Make the items and the traces of a task without rules of its own."""
    input:
        raw="<raw>/{task}/raw",
    output:
        item_table="<data>/{task}/items.parquet",
        inventory="<data>/{task}/inventory.parquet",
        traces="<data>/{task}/traces.parquet",
        utterances="<data>/{task}/utterances.parquet",
        provenance="<data>/{task}/provenance.json",
    log:
        "<logs>/{task}/prepare.log",
    benchmark:
        "<benchmarks>/{task}/prepare.tsv"
    wildcard_constraints:
        task=among(tasks_with("prepare", tasks.names())),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        settings=lambda wildcards: config.get(wildcards.task, {}),
        code=code("prepare"),
    script:
        "../scripts/prepare.py"


rule read_corpus:
    """Read and check a corpus."""
    input:
        corpus_files,
    output:
        states="<data>/{task}/states.parquet",
        recorded="<data>/{task}/recorded.parquet",
        pictures="<data>/{task}/pictures.parquet",
        inventory="<data>/{task}/inventory.parquet",
        traces="<data>/{task}/traces.parquet",
        utterances="<data>/{task}/utterances.parquet",
        provenance="<data>/{task}/provenance.json",
    log:
        "<logs>/{task}/read_corpus.log",
    benchmark:
        "<benchmarks>/{task}/read_corpus.tsv"
    wildcard_constraints:
        task=among(tasks.corpora()),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        folder=setting("corpora.{task}"),
        code=code("read_corpus"),
    script:
        "../scripts/read_corpus.py"
