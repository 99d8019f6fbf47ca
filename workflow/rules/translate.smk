"""Messages, contexts and the dictionary."""


rule sample_messages:
    """Let the agent speak: a neuralese vocabulary from training states, held-out messages, and contexts."""
    input:
        unpack(game_tables),
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
    output:
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{RESULTS}/{{task}}/seed{{seed}}/contexts.parquet",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/sample_messages.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/sample_messages.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=10,
    params:
        counts=config["messages"],
        max_steps=max_steps,
        code=code("games", "agents", "randomness.py"),
    script:
        "../scripts/sample_messages.py"


rule score_dictionary:
    """Score every pair of messages under every criterion and keep the n best, in both directions."""
    input:
        unpack(game_tables),
        inventory=f"{RESULTS}/{{task}}/inventory.parquet",
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{RESULTS}/{{task}}/seed{{seed}}/contexts.parquet",
        robot=f"{RESULTS}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
        human=f"{RESULTS}/{{task}}/seed{{seed}}/human_speaker.safetensors",
    output:
        dictionary=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/dictionary.parquet",
            category="Dictionaries",
            caption="../report/dictionary.rst",
        ),
        meanings=f"{RESULTS}/{{task}}/seed{{seed}}/meanings.parquet",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/score_dictionary.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/score_dictionary.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=20,
    params:
        criteria=config["criteria"],
        n_best=config["dictionary"]["n_best"],
        code=code("games", "speakers", "translate"),
    script:
        "../scripts/score_dictionary.py"


rule synthesise:
    """Make new messages that mean what a phrase means, and put phrases together to translate messages."""
    input:
        unpack(game_tables),
        inventory=f"{RESULTS}/{{task}}/inventory.parquet",
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{RESULTS}/{{task}}/seed{{seed}}/contexts.parquet",
        robot=f"{RESULTS}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
        human=f"{RESULTS}/{{task}}/seed{{seed}}/human_speaker.safetensors",
    output:
        dictionary=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/synthesis.parquet",
            category="Dictionaries",
            caption="../report/synthesis.rst",
        ),
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/new_messages.parquet",
        bags=f"{RESULTS}/{{task}}/seed{{seed}}/bags.parquet",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/synthesise.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/synthesise.tsv"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=20,
    params:
        criterion=config["criteria"][config["synthesis"]["criterion"]],
        synthesis={
            name: value
            for name, value in config["synthesis"].items()
            if name != "criterion"
        },
        radius=config["agent"]["radius"],
        n_best=config["dictionary"]["n_best"],
        code=code("games", "agents", "speakers", "translate", "randomness.py"),
    script:
        "../scripts/synthesise.py"
