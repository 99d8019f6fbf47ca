"""Pictures for people."""


rule draw_color_examples:
    """Show pairs of colours and the best translations of what the robot says of one (Figure 6)."""
    input:
        provenance=f"{RESULTS}/colors/provenance.json",
        colors=f"{RESULTS}/colors/colors.parquet",
        messages=f"{RESULTS}/colors/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/colors/seed{{seed}}/dictionary.parquet",
    output:
        examples=f"{RESULTS}/colors/seed{{seed}}/examples.parquet",
        figure=report(
            f"{RESULTS}/colors/seed{{seed}}/examples.png",
            category="Examples",
            caption="../report/examples.rst",
        ),
    log:
        f"{RESULTS}/logs/colors/seed{{seed}}/draw_examples.log",
    benchmark:
        f"{RESULTS}/benchmarks/colors/seed{{seed}}/draw_examples.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    params:
        number=config["examples"]["count"],
        criterion=config["examples"]["criterion"],
        code=code("report"),
    script:
        "../scripts/draw_color_examples.py"


rule draw_bird_examples:
    """Show pairs of birds and the best translations of what the robot says of one (Figure 2)."""
    input:
        provenance=f"{RESULTS}/birds/provenance.json",
        raw=f"{RESULTS}/birds/raw",
        images=f"{RESULTS}/birds/images.parquet",
        item_table=f"{RESULTS}/birds/items.parquet",
        messages=f"{RESULTS}/birds/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/birds/seed{{seed}}/dictionary.parquet",
    output:
        examples=f"{RESULTS}/birds/seed{{seed}}/examples.parquet",
        figure=report(
            f"{RESULTS}/birds/seed{{seed}}/examples.png",
            category="Examples",
            caption="../report/examples.rst",
        ),
    log:
        f"{RESULTS}/logs/birds/seed{{seed}}/draw_examples.log",
    benchmark:
        f"{RESULTS}/benchmarks/birds/seed{{seed}}/draw_examples.tsv"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=5,
    params:
        number=config["examples"]["count"],
        criterion=config["examples"]["criterion"],
        code=code("report", "features/images.py"),
    script:
        "../scripts/draw_bird_examples.py"
