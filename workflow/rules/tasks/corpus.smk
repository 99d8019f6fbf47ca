"""Corpora: what games have from training is taken from a user's recordings."""


rule fit_recorded_speaker:
    """Fit p(z | x) to the recorded messages."""
    input:
        reads("fit_recorded_speaker"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/fit_recorded_speaker.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/fit_recorded_speaker.tsv"
    wildcard_constraints:
        task=having("fit_recorded_speaker"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(20),
    params:
        fit=lambda wildcards: at(wildcards)["speakers"][wildcards.task],
        game=game,
        code=code("tasks/fit_recorded_speaker"),
    script:
        "../../scripts/tasks/fit_recorded_speaker.py"


rule take_messages:
    """Take from the recordings a vocabulary, held-out messages, and contexts."""
    input:
        reads("take_messages"),
    output:
        messages=f"{POINT}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{POINT}/{{task}}/seed{{seed}}/contexts.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/take_messages.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/take_messages.tsv"
    wildcard_constraints:
        task=having("take_messages"),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        counts=lambda wildcards: at(wildcards)["messages"],
        game=game,
        code=code("tasks/take_messages"),
    script:
        "../../scripts/tasks/take_messages.py"


rule measure_messages:
    """Measure what recorded messages say, and about what, by the standard measures."""
    input:
        reads("measure_messages"),
    output:
        table=report(
            f"{POINT}/{{task}}/seed{{seed}}/protocol.parquet",
            category="Protocols",
            caption="../../report/protocol.rst",
        ),
        figure=report(
            f"{POINT}/{{task}}/seed{{seed}}/protocol.png",
            category="Protocols",
            caption="../../report/protocol.rst",
        ),
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/measure_messages.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/measure_messages.tsv"
    wildcard_constraints:
        task=having("measure_messages"),
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        code=code("tasks/measure_messages"),
    script:
        "../../scripts/tasks/measure_messages.py"


rule compose_phrases:
    """Combine phrases to translate messages."""
    input:
        reads("compose_phrases"),
    output:
        dictionary=f"{POINT}/{{task}}/seed{{seed}}/synthesis.parquet",
        bags=f"{POINT}/{{task}}/seed{{seed}}/bags.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/compose_phrases.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/compose_phrases.tsv"
    wildcard_constraints:
        task=having("compose_phrases"),
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
        n_best=lambda wildcards: at(wildcards)["dictionary"]["n_best"],
        game=game,
        code=code("tasks/compose_phrases"),
    script:
        "../../scripts/tasks/compose_phrases.py"
