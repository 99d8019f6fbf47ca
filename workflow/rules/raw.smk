"""Raw data."""


rule download:
    """Fetch a task's raw data from the mirror, the official address or the embedded generator."""
    output:
        directory("<raw>/{task}/raw"),
    log:
        "<raw>/logs/{task}/download.log",
    benchmark:
        "<raw>/benchmarks/{task}/download.tsv"
    wildcard_constraints:
        task=among(tasks_with("train_agent", tasks.names())),
    priority: FIRST
    localrule: True  # cluster nodes often have no internet access
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(60),
    params:
        source=setting("data.source"),
        partial=f"{RESULTS}/.downloads",
        code=embedded_code,
    script:
        "../scripts/download.py"
