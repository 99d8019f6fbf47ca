"""Models of who says what in which state."""


rule fit_robot_speaker:
    """Fit p(z | x) of the trained agent."""
    input:
        reads("fit_robot_speaker"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/fit_robot_speaker.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/fit_robot_speaker.tsv"
    wildcard_constraints:
        task=having("fit_robot_speaker"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2500),
        runtime=growing(10),
    params:
        fit=lambda wildcards: at(wildcards)["speakers"][wildcards.task],
        states=lambda wildcards: at(wildcards)["messages"]["fitted"],
        game=game,
        code=code("fit_robot_speaker"),
    script:
        "../scripts/fit_robot_speaker.py"


rule fit_human_model:
    """Fit p(z | x) of human speakers, or the model human listener, to the human traces."""
    input:
        reads("fit_human_model"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/human_{{model}}.safetensors",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/fit_human_{{model}}.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/fit_human_{{model}}.tsv"
    wildcard_constraints:
        model="|".join(WILDCARDS["model"]),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        fit=lambda wildcards: at(wildcards)["speakers"][wildcards.task],
        game=game,
        code=code("fit_human_model"),
    script:
        "../scripts/fit_human_model.py"
