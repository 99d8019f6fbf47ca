"""Learned agents."""


rule train_agent:
    """Train one agent that plays both roles, by recurrent Q-learning through a noisy channel."""
    input:
        game=files_of("game"),
        provenance="<data>/{task}/provenance.json",
    output:
        agent="<agents>/{task}/seed{seed}/agent.safetensors",
        history="<agents>/{task}/seed{seed}/history.parquet",
    log:
        "<logs>/{task}/seed{seed}/train_agent.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/train_agent.tsv"
    wildcard_constraints:
        task=among(tasks_with("train_agent", tasks.names())),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(60),
    params:
        cell=setting("agent"),
        training=setting("training.{task}"),
        game=setting("games.{task}"),
        silent=False,
        checkpoints=f"{RESULTS}/.checkpoints",
        code=code("train_agent"),
    script:
        "../scripts/train_agent.py"


rule train_silent:
    """Train one agent without a channel, to measure the value of language."""
    input:
        game=files_of("game"),
        provenance="<data>/{task}/provenance.json",
    output:
        agent="<agents>/{task}/seed{seed}/silent_agent.safetensors",
        history="<agents>/{task}/seed{seed}/silent_history.parquet",
    log:
        "<logs>/{task}/seed{seed}/train_silent.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/train_silent.tsv"
    wildcard_constraints:
        task=among(tasks_with("train_agent", tasks.names())),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(60),
    params:
        cell=setting("agent"),
        training=setting("training.{task}"),
        game=setting("games.{task}"),
        silent=True,
        checkpoints=f"{RESULTS}/.checkpoints",
        code=code("train_agent"),
    script:
        "../scripts/train_agent.py"
