"""Learned agents."""


rule train_agent:
    """Train one agent that plays both seats, by recurrent Q-learning through a noisy channel."""
    input:
        reads("train_agent"),
    output:
        agent=f"{POINT}/{{task}}/seed{{seed}}/agent.safetensors",
        history=f"{POINT}/{{task}}/seed{{seed}}/history.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/train_agent.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/train_agent.tsv"
    wildcard_constraints:
        task=having("train_agent"),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(60),
    params:
        cell=lambda wildcards: at(wildcards)["agent"],
        training=lambda wildcards: at(wildcards)["training"][wildcards.task],
        game=game,
        checkpoints=f"{RESULTS}/.checkpoints",
        code=code("train_agent"),
    script:
        "../scripts/train_agent.py"
