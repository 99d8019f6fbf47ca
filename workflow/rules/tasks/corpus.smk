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
