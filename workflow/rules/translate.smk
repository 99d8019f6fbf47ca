"""Messages, contexts and the dictionary."""


rule sample_messages:
    """Let the agent speak: a neuralese vocabulary from training states, held-out messages, and contexts."""
    input:
        reads("sample_messages"),
    output:
        messages=f"{POINT}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{POINT}/{{task}}/seed{{seed}}/contexts.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/sample_messages.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/sample_messages.tsv"
    wildcard_constraints:
        task=having("sample_messages"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        counts=lambda wildcards: at(wildcards)["messages"],
        game=game,
        code=code("sample_messages"),
    script:
        "../scripts/sample_messages.py"


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
