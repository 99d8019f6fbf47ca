"""Relays: what survives if everything players say goes through English."""


rule relay:
    """Send the robot's messages into English and back, and let a robot hear the result."""
    input:
        reads("relay"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/relay.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/relay.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/relay.tsv"
    wildcard_constraints:
        task=having("relay"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        messages=lambda wildcards: at(wildcards)["ablation"]["messages"],
        contexts=lambda wildcards: at(wildcards)["ablation"]["contexts"],
        criteria=lambda wildcards: at(wildcards)["criteria"],
        resamples=lambda wildcards: at(wildcards)["evaluation"]["resamples"],
        game=game,
        code=code("relay"),
    script:
        "../scripts/relay.py"


RELAYED = set(TASKS) & set(tasks_with("relay.parquet"))


rule tabulate_relay:
    """Collect the relays of all tasks and seeds."""
    input:
        reads("tabulate_relay"),
    output:
        report(
            f"{RESULTS}/tables/relay.parquet",
            category="Tables",
            caption="../report/relay.rst",
        ),
    log:
        f"{RESULTS}/logs/tables/relay.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/relay.tsv"
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(5),
    params:
        code=code("tabulate_relay"),
    script:
        "../scripts/tabulate_relay.py"
