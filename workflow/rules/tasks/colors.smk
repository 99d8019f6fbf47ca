"""Colours: the survey becomes items and traces."""


rule parse_colors:
    """Read every answer of the colour survey and add its CIELAB coordinates."""
    input:
        raw=f"{RESULTS}/colors/raw",
    output:
        colors=f"{POINT}/colors/colors.parquet",  # would be half of Snakemake's report if it were in it
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
        code=code("tasks/parse_colors"),
    script:
        "../../scripts/tasks/parse_colors.py"


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
        code=code("tasks/prepare_colors"),
    script:
        "../../scripts/tasks/prepare_colors.py"
