"""Models of who says what in which state."""


rule fit_robot_speaker:
    """Let the robot speak, keep messages and contexts, and fit p(z | x) to all that it says."""
    input:
        reads("fit_robot_speaker"),
    output:
        messages=f"{POINT}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{POINT}/{{task}}/seed{{seed}}/contexts.parquet",
        speaker=f"{POINT}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/fit_robot_speaker.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/fit_robot_speaker.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2500),
        runtime=growing(10),
    params:
        fit=lambda wildcards: at(wildcards)["speakers"][wildcards.task],
        counts=lambda wildcards: at(wildcards)["messages"],
        game=game,
        code=code("fit_robot_speaker"),
    script:
        "../scripts/fit_robot_speaker.py"


rule fit_human_models:
    """Fit p(z | x) of human speakers, and the model human listener, to the human traces."""
    input:
        reads("fit_human_models"),
    output:
        speaker=f"{POINT}/{{task}}/seed{{seed}}/human_speaker.safetensors",
        listener=f"{POINT}/{{task}}/seed{{seed}}/human_listener.safetensors",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/fit_human_models.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/fit_human_models.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        fit=lambda wildcards: at(wildcards)["speakers"][wildcards.task],
        game=game,
        code=code("fit_human_models"),
    script:
        "../scripts/fit_human_models.py"
