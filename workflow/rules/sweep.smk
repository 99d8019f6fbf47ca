"""Sweeps over values of the config: the stages at every point, and tables with a column for each swept value."""


rule tabulate_sweep:
    """Collect one kind of result of every point, task and seed in one table with a column for each swept value."""
    input:
        lambda wildcards: [path for path, _ in swept_files(wildcards)],
    output:
        f"{RESULTS}/sweep/{{table}}.parquet",
    log:
        f"{RESULTS}/logs/sweep/{{table}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/sweep/{{table}}.tsv"
    wildcard_constraints:
        table="|".join(WILDCARDS["table"]),
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        points=lambda wildcards: [values for _, values in swept_files(wildcards)],
        code=code("tabulate_sweep"),
    script:
        "../scripts/tabulate_sweep.py"


rule draw_sweep:
    """Draw how translation and protocol change with each swept value."""
    input:
        belief=f"{RESULTS}/sweep/belief.parquet",
        protocol=f"{RESULTS}/sweep/protocol.parquet",
    output:
        report(
            f"{RESULTS}/sweep/sweep.png",
            category="Sweeps",
            caption="../report/sweep.rst",
        ),
    log:
        f"{RESULTS}/logs/sweep/draw.log",
    benchmark:
        f"{RESULTS}/benchmarks/sweep/draw.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        swept=list(SWEEP),
        criterion=config["examples"]["criterion"],
        code=code("draw_sweep"),
    script:
        "../scripts/draw_sweep.py"


rule sweep:
    """The tables and the figure of the sweep that the config asks for."""
    input:
        f"{RESULTS}/sweep/belief.parquet",
        f"{RESULTS}/sweep/protocol.parquet",
        f"{RESULTS}/sweep/behavior.parquet" if BEHAVIOR else [],
        f"{RESULTS}/sweep/sweep.png",
