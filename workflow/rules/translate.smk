"""The choice of criteria, and the dictionary."""


rule ablate:
    """Evaluate every member of every family of criteria on dev and test."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        utterances="<data>/{task}/utterances.parquet",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        judging_speaker="<humans>/{task}/seed{seed}/judging_speaker.safetensors",
        human_listener="<humans>/{task}/seed{seed}/human_listener.safetensors",
        robot=files_of("robot"),
        judge=files_of("judge"),
        provenance="<data>/{task}/provenance.json",
    output:
        "<results>/{task}/seed{seed}/ablation.parquet",
    log:
        "<logs>/{task}/seed{seed}/ablate.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/ablate.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        messages=setting("ablation.messages"),
        contexts=setting("ablation.contexts"),
        humans=setting("ablation.humans"),
        families=lambda wildcards: config["criteria"] | config["ablation"]["also"],
        resamples=setting("evaluation.resamples"),
        game=setting("games.{task}"),
        code=code("ablate"),
    script:
        "../scripts/ablate.py"


rule choose_criteria:
    """Choose a member of each family of criteria by its accuracy on dev over all seeds."""
    input:
        expand("<results>/{{task}}/seed{seed}/ablation.parquet", seed=SEEDS),
    output:
        "<results>/{task}/criteria.parquet",
    log:
        "<logs>/{task}/choose_criteria.log",
    benchmark:
        "<benchmarks>/{task}/choose_criteria.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(5),
    params:
        criteria=setting("criteria"),
        code=code("choose_criteria"),
    script:
        "../scripts/choose_criteria.py"


rule score_dictionary:
    """Score every pair of messages under every criterion and keep the n best, in both directions."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        utterances="<data>/{task}/utterances.parquet",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        criteria="<results>/{task}/criteria.parquet",
    output:
        report(
            "<results>/{task}/seed{seed}/dictionary.parquet",
            category="Dictionaries",
            caption="../report/dictionary.rst",
        ),
    log:
        "<logs>/{task}/seed{seed}/score_dictionary.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/score_dictionary.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        n_best=setting("dictionary.n_best"),
        game=setting("games.{task}"),
        code=code("score_dictionary"),
    script:
        "../scripts/score_dictionary.py"


rule describe:
    """Describe every message of dev and test in as many phrases as it takes."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        human_listener="<humans>/{task}/seed{seed}/human_listener.safetensors",
        robot=files_of("robot"),
        judge=files_of("judge"),
        provenance="<data>/{task}/provenance.json",
    output:
        report(
            "<results>/{task}/seed{seed}/descriptions.parquet",
            category="Dictionaries",
            caption="../report/descriptions.rst",
        ),
    log:
        "<logs>/{task}/seed{seed}/describe.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/describe.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        descriptions=setting("descriptions"),
        messages=setting("ablation.messages"),
        game=setting("games.{task}"),
        code=code("describe"),
    script:
        "../scripts/describe.py"
