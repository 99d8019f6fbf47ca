"""Raw data, and the tables made from it."""


rule download:
    """Fetch a task's raw data from the mirror, the official address or the embedded generator."""
    output:
        directory(f"{RESULTS}/{{task}}/raw"),
    log:
        f"{RESULTS}/logs/{{task}}/download.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/download.tsv"
    priority: FIRST
    localrule: True  # nodes of a cluster often have no internet
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(60),
    params:
        source=config["data"]["source"],
        partial=f"{RESULTS}/.downloads",
        code=embedded_code,
    script:
        "../scripts/download.py"


rule parse_colors:
    """Read every answer of the colour survey and add its CIELAB coordinates."""
    input:
        raw=f"{RESULTS}/colors/raw",
    output:
        colors=report(
            f"{POINT}/colors/colors.parquet",
            category="Data",
            caption="../report/colors.rst",
        ),
        provenance=f"{POINT}/colors/provenance.json",
    log:
        f"{POINT}/logs/colors/parse.log",
    benchmark:
        f"{POINT}/benchmarks/colors/parse.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("parse_colors"),
    script:
        "../scripts/parse_colors.py"


rule prepare_colors:
    """Make the inventory of colour words, the items of the game and the traces of what humans said."""
    input:
        colors=f"{POINT}/colors/colors.parquet",
    output:
        inventory=f"{POINT}/colors/inventory.parquet",
        item_table=f"{POINT}/colors/items.parquet",
        traces=f"{POINT}/colors/traces.parquet",
    log:
        f"{POINT}/logs/colors/prepare.log",
    benchmark:
        f"{POINT}/benchmarks/colors/prepare.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        least_names=lambda wildcards: at(wildcards)["colors"]["least_names"],
        code=code("prepare_colors"),
    script:
        "../scripts/prepare_colors.py"


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
        code=code("parse_birds"),
    script:
        "../scripts/parse_birds.py"


rule parse_driving:
    """Read the logs of the driving games and play them again to check them and to know their reward."""
    input:
        raw=f"{RESULTS}/driving/raw",
    output:
        maps=f"{POINT}/driving/maps.parquet",
        games=report(
            f"{POINT}/driving/games.parquet",
            category="Data",
            caption="../report/games.rst",
        ),
        turns=f"{POINT}/driving/turns.parquet",
        provenance=f"{POINT}/driving/provenance.json",
    log:
        f"{POINT}/logs/driving/parse.log",
    benchmark:
        f"{POINT}/benchmarks/driving/parse.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        dev_games=lambda wildcards: at(wildcards)["driving"]["dev_games"],
        test_games=lambda wildcards: at(wildcards)["driving"]["test_games"],
        rules=lambda wildcards: {
            key: at(wildcards)["driving"][key]
            for key in ("distractors", "goal_offset")
        },
        code=code("parse_driving"),
    script:
        "../scripts/parse_driving.py"


rule prepare_driving:
    """Make the inventory of short messages, the words and the traces of what humans said."""
    input:
        games=f"{POINT}/driving/games.parquet",
        turns=f"{POINT}/driving/turns.parquet",
    output:
        inventory=f"{POINT}/driving/inventory.parquet",
        words=f"{POINT}/driving/words.parquet",
        traces=f"{POINT}/driving/traces.parquet",
    log:
        f"{POINT}/logs/driving/prepare.log",
    benchmark:
        f"{POINT}/benchmarks/driving/prepare.tsv"
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        least_sent=lambda wildcards: at(wildcards)["driving"]["least_sent"],
        least_words=lambda wildcards: at(wildcards)["driving"]["least_words"],
        code=code("prepare_driving"),
    script:
        "../scripts/prepare_driving.py"
