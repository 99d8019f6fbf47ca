"""Pictures and pages for people."""

TABLE_FIGURES = expand(
    f"{RESULTS}/figures/{{figure}}.{{format}}",
    figure=[
        figure
        for figure in NAMED["draw_tables"].figures
        if set(TASKS) & set(tasks_of(NAMED["draw_tables"], figure))
    ],
    format=["png", "svg"],
)


rule draw_tables:
    """Draw each of the paper's tables: our figures with their intervals, and the paper's if data is real."""
    input:
        comparison=f"{RESULTS}/tables/comparison.csv",
    output:
        report(
            TABLE_FIGURES,
            category="Figures",
            caption="../report/tables.rst",
        ),
    log:
        f"{RESULTS}/logs/tables/draw.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/draw.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("draw_tables"),
    script:
        "../scripts/draw_tables.py"


rule gather_report:
    """Show what the robot says of states in English (as in the paper's Figures 2, 6 and 7), and gather the report's facts."""
    input:
        reads("gather_report"),
    output:
        examples=f"{RESULTS}/{{task}}/seed{{seed}}/examples.parquet",
        figures=report(
            multiext(
                f"{RESULTS}/figures/examples_{{task}}_seed{{seed}}", ".png", ".svg"
            ),
            category="Figures",
            caption="../report/examples.rst",
        ),
        report=f"{RESULTS}/{{task}}/seed{{seed}}/report.json",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/gather_report.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/gather_report.tsv"
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(5),
    params:
        number=config["examples"]["count"],
        criterion=config["examples"]["criterion"],
        game=game,
        code=code("gather_report"),
    script:
        "../scripts/gather_report.py"


rule write_report:
    """Write the report: one page that opens from disk, with our tables and the paper's, and every task to explore."""
    input:
        made=reads("write_report"),
        faithful=faithful_comparison,
    output:
        report(
            f"{RESULTS}/report/index.html",
            category="Report",
            caption="../report/index.rst",
        ),
    log:
        f"{RESULTS}/logs/report/write.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/write.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        names=TASKS,
        seeds=SEEDS,
        benchmarks=f"{RESULTS}/benchmarks",
        code=code("write_report"),
    script:
        "../scripts/write_report.py"
