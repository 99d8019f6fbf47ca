"""Messages, contexts and the dictionary."""


rule score_dictionary:
    """Score every pair of messages under every criterion and keep the n best, in both directions."""
    input:
        reads("score_dictionary"),
    output:
        dictionary=report(
            f"{POINT}/{{task}}/seed{{seed}}/dictionary.parquet",
            category="Dictionaries",
            caption="../report/dictionary.rst",
        ),
        meanings=f"{POINT}/{{task}}/seed{{seed}}/meanings.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/score_dictionary.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/score_dictionary.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        n_best=lambda wildcards: at(wildcards)["dictionary"]["n_best"],
        game=game,
        code=code("score_dictionary"),
    script:
        "../scripts/score_dictionary.py"


rule synthesise:
    """Make new messages that mean what a phrase means, and combine phrases to translate messages."""
    input:
        reads("synthesise"),
    output:
        dictionary=report(
            f"{POINT}/{{task}}/seed{{seed}}/synthesis.parquet",
            category="Dictionaries",
            caption="../report/synthesis.rst",
        ),
        messages=f"{POINT}/{{task}}/seed{{seed}}/new_messages.parquet",
        bags=f"{POINT}/{{task}}/seed{{seed}}/bags.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/synthesise.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/synthesise.tsv"
    wildcard_constraints:
        task=having("synthesise"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(15),
    params:
        criterion=lambda wildcards: at(wildcards)["synthesis"]["criterion"],
        synthesis=lambda wildcards: {
            name: value
            for name, value in at(wildcards)["synthesis"].items()
            if name != "criterion"
        },
        radius=lambda wildcards: at(wildcards)["agent"]["radius"],
        n_best=lambda wildcards: at(wildcards)["dictionary"]["n_best"],
        game=game,
        code=code("synthesise"),
    script:
        "../scripts/synthesise.py"
