"""Corpora: p(z | x) that judge translations; a user's recordings become states, messages and phrases in data.smk."""


rule fit_judges:
    """Fit p(z | x) of the robots that judge translations, to messages that the dictionary does not see."""
    input:
        reads("fit_judges"),
    output:
        dev=f"{POINT}/{{task}}/seed{{seed}}/judge_dev.safetensors",
        test=f"{POINT}/{{task}}/seed{{seed}}/judge_test.safetensors",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/fit_judges.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/fit_judges.tsv"
    wildcard_constraints:
        task=having("fit_judges"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(20),
    params:
        fit=lambda wildcards: at(wildcards)["speakers"][wildcards.task],
        game=game,
        code=code("tasks/fit_judges"),
    script:
        "../../scripts/tasks/fit_judges.py"
