"""Learned agents."""


rule train_agent:
    """Train one agent that plays both seats, by recurrent Q-learning through a noisy channel."""
    input:
        unpack(game_tables),
    output:
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
        history=f"{RESULTS}/{{task}}/seed{{seed}}/history.parquet",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/train_agent.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/train_agent.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=60,
    params:
        cell=config["agent"],
        training=lambda wildcards: config["training"][wildcards.task],
        max_steps=max_steps,
        checkpoints=f"{RESULTS}/.checkpoints",
        code=code("games", "agents", "randomness.py"),
    script:
        "../scripts/train_agent.py"
