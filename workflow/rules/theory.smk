"""The propositions, on random games and on the tasks."""


rule check_theory:
    """Check the two propositions on random games, and compare the bound with the loss on the tasks."""
    input:
        reads("check_theory"),
    output:
        proposition_1=report(
            f"{RESULTS}/theory/proposition_1.parquet",
            category="Theory",
            caption="../report/theory.rst",
        ),
        proposition_2=report(
            f"{RESULTS}/theory/proposition_2.parquet",
            category="Theory",
            caption="../report/theory.rst",
        ),
        bound=report(
            f"{RESULTS}/tables/bound.parquet",
            category="Theory",
            caption="../report/bound.rst",
        ),
        figures=report(
            multiext(f"{RESULTS}/figures/theory", ".png", ".svg"),
            category="Theory",
            caption="../report/theory.rst",
        ),
    log:
        f"{RESULTS}/logs/theory/check.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory/check.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        games=config["theory"]["games"],
        code=code("check_theory"),
    script:
        "../scripts/check_theory.py"
