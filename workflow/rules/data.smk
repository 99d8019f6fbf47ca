"""Raw data, and the tables made from it."""


rule download:
    """Fetch a task's raw data from the mirror, the official address or the embedded generator."""
    output:
        directory(f"{RESULTS}/{{task}}/raw"),
    log:
        f"{RESULTS}/logs/{{task}}/download.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/download.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        source=config["data"]["source"],
        partial=f"{RESULTS}/.downloads",
        # real data is known by its digest, whatever code fetches it; only the stand-in is made by code
        code=lambda wildcards: code(f"data/embedded/{wildcards.task}.py"),
    script:
        "../scripts/download.py"


rule parse_colors:
    """Read every answer of the colour survey and add its CIELAB coordinates."""
    input:
        raw=f"{RESULTS}/colors/raw",
    output:
        colors=report(
            f"{RESULTS}/colors/colors.parquet",
            category="Data",
            caption="../report/colors.rst",
        ),
        provenance=f"{RESULTS}/colors/provenance.json",
    log:
        f"{RESULTS}/logs/colors/parse.log",
    benchmark:
        f"{RESULTS}/benchmarks/colors/parse.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=10,
    params:
        code=code("data/archives.py", "data/xkcd.py", "features/cielab.py"),
    script:
        "../scripts/parse_colors.py"


rule prepare_colors:
    """Make the inventory of colour words, the items of the game and the traces of what humans said."""
    input:
        colors=f"{RESULTS}/colors/colors.parquet",
    output:
        inventory=f"{RESULTS}/colors/inventory.parquet",
        item_table=f"{RESULTS}/colors/items.parquet",
        traces=f"{RESULTS}/colors/traces.parquet",
    log:
        f"{RESULTS}/logs/colors/prepare.log",
    benchmark:
        f"{RESULTS}/benchmarks/colors/prepare.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=10,
    params:
        least_names=config["colors"]["least_names"],
        code=code("data/xkcd.py", "features/items.py"),
    script:
        "../scripts/prepare_colors.py"


rule parse_birds:
    """Read the lists, the split and the descriptions of the bird images."""
    input:
        raw=f"{RESULTS}/birds/raw",
    output:
        images=f"{RESULTS}/birds/images.parquet",
        captions=f"{RESULTS}/birds/captions.parquet",
    log:
        f"{RESULTS}/logs/birds/parse.log",
    benchmark:
        f"{RESULTS}/benchmarks/birds/parse.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        code=code("data/archives.py", "data/cub.py", "data/pickles.py"),
    script:
        "../scripts/parse_birds.py"


rule parse_driving:
    """Read the logs of the driving games and play them again to check them and to know their reward."""
    input:
        raw=f"{RESULTS}/driving/raw",
    output:
        maps=f"{RESULTS}/driving/maps.parquet",
        games=report(
            f"{RESULTS}/driving/games.parquet",
            category="Data",
            caption="../report/games.rst",
        ),
        turns=f"{RESULTS}/driving/turns.parquet",
        provenance=f"{RESULTS}/driving/provenance.json",
    log:
        f"{RESULTS}/logs/driving/parse.log",
    benchmark:
        f"{RESULTS}/benchmarks/driving/parse.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        dev_games=config["driving"]["dev_games"],
        test_games=config["driving"]["test_games"],
        code=code("data/archives.py", "data/driving.py", "games"),
    script:
        "../scripts/parse_driving.py"


rule prepare_driving:
    """Make the inventory of short messages, the words and the traces of what humans said."""
    input:
        games=f"{RESULTS}/driving/games.parquet",
        turns=f"{RESULTS}/driving/turns.parquet",
    output:
        inventory=f"{RESULTS}/driving/inventory.parquet",
        words=f"{RESULTS}/driving/words.parquet",
        traces=f"{RESULTS}/driving/traces.parquet",
    log:
        f"{RESULTS}/logs/driving/prepare.log",
    benchmark:
        f"{RESULTS}/benchmarks/driving/prepare.tsv"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        least_sent=config["driving"]["least_sent"],
        least_words=config["driving"]["least_words"],
        code=code("data/driving.py", "features/items.py"),
    script:
        "../scripts/prepare_driving.py"
