"""Corpora: a user's recordings become states, messages and phrases; there is no game and no training."""


rule read_corpus:
    """Read and check a corpus."""
    input:
        corpus_files,
    output:
        states=f"{POINT}/{{task}}/states.parquet",
        recorded=f"{POINT}/{{task}}/recorded.parquet",
        inventory=f"{POINT}/{{task}}/inventory.parquet",
        traces=f"{POINT}/{{task}}/traces.parquet",
        pictures=f"{POINT}/{{task}}/pictures.parquet",
        provenance=f"{POINT}/{{task}}/provenance.json",
    log:
        f"{POINT}/logs/{{task}}/read_corpus.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/read_corpus.tsv"
    wildcard_constraints:
        task=having("read_corpus"),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        folder=lambda wildcards: at(wildcards)["corpora"][wildcards.task],
        code=code("tasks/read_corpus"),
    script:
        "../../scripts/tasks/read_corpus.py"


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
