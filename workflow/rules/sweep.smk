"""Sweeps over values of the config: one module for each point, and tables with a column for each swept value."""

# tables over all points, some of stages that not all tasks have
SWEPT = ["belief", "protocol", "ablation"]
SWEPT += [name for name in ("relay", "behavior") if tasks_with(name)]


# a module has the rules of those files that no earlier point makes
for point, (folders, laid) in sweep.modules(config).items():

    module:
        name: point
        pathvars:
            **folders,
            raw=RESULTS,
        snakefile:
            "../Snakefile"
        config:
            laid

    use rule * from point exclude all, tabulate_sweep, sweep as point*


rule tabulate_sweep:
    """Collect the results of all points in tables with a column for each swept value, and plot them."""
    input:
        belief=swept("belief_test.parquet"),
        protocol=swept("protocol.parquet"),
        ablation=swept("ablation.parquet"),
        relay=swept("relay.parquet", tasks_with("relay")),
        behavior=swept("behavior_test.parquet", tasks_with("behavior")),
    output:
        **{name: f"<results>/sweep/{name}.parquet" for name in SWEPT},
        figure=report("<results>/sweep/sweep.png", category="Sweeps", caption="../report/sweep.rst"),
    log:
        "<logs>/sweep/tabulate_sweep.log",
    benchmark:
        "<benchmarks>/sweep/tabulate_sweep.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        points=POINTS,
        criterion=setting("examples.criterion"),
        code=code("tabulate_sweep"),
    script:
        "../scripts/tabulate_sweep.py"


rule sweep:
    """Make the tables and the figure of the sweep."""
    input:
        swept_tables,
