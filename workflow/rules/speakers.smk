"""Models of who says what in which state."""


rule fit_robot_speaker:
    """Fit p(z | x) of the trained agent."""
    input:
        unpack(game_tables),
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
    output:
        f"{RESULTS}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/fit_robot_speaker.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/fit_robot_speaker.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=20,
    params:
        fit=lambda wildcards: config["speakers"][wildcards.task],
        states=config["messages"]["fitted"],
        max_steps=max_steps,
        code=code("games", "agents", "speakers", "randomness.py"),
    script:
        "../scripts/fit_robot_speaker.py"


rule fit_human_model:
    """Fit p(z | x) of human speakers, or the model human listener, to the human traces."""
    input:
        unpack(trace_tables),
    output:
        f"{RESULTS}/{{task}}/seed{{seed}}/human_{{model}}.safetensors",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/fit_human_{{model}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/fit_human_{{model}}.tsv"
    wildcard_constraints:
        model="speaker|listener",
    threads: 1
    resources:
        mem_mb=3000,
        runtime=20,
    params:
        fit=lambda wildcards: config["speakers"][wildcards.task],
        code=code("games", "speakers", "randomness.py"),
    script:
        "../scripts/fit_human_model.py"
