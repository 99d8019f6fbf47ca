"""Evaluations of translations for all tasks."""


rule evaluate_belief:
    """Let every listener guess the state of every speaker, and compare the loss by translation with its bound."""
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
        dictionary="<results>/{task}/seed{seed}/dictionary.parquet",
        descriptions="<results>/{task}/seed{seed}/descriptions.parquet",
        robot=files_of("robot"),
        judge=files_of("judge"),
        provenance="<data>/{task}/provenance.json",
    output:
        belief="<results>/{task}/seed{seed}/belief_test.parquet",
        bound="<results>/{task}/seed{seed}/bound.parquet",
    log:
        "<logs>/{task}/seed{seed}/evaluate_belief.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/evaluate_belief.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        held_out=setting("messages.held_out"),
        evaluation=setting("evaluation"),
        messages=setting("ablation.messages"),
        criterion=setting("examples.criterion"),
        game=setting("games.{task}"),
        code=code("evaluate_belief"),
    script:
        "../scripts/evaluate_belief.py"


rule relay:
    """Translate the robot's messages into English and back, and let a robot hear the result."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        utterances="<data>/{task}/utterances.parquet",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        human_listener="<humans>/{task}/seed{seed}/human_listener.safetensors",
        robot=files_of("robot"),
        provenance="<data>/{task}/provenance.json",
    output:
        "<results>/{task}/seed{seed}/relay.parquet",
    log:
        "<logs>/{task}/seed{seed}/relay.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/relay.tsv"
    wildcard_constraints:
        task=among(tasks_with("relay", tasks.names())),
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        messages=setting("ablation.messages"),
        contexts=setting("ablation.contexts"),
        criteria=setting("criteria"),
        resamples=setting("evaluation.resamples"),
        game=setting("games.{task}"),
        code=code("relay"),
    script:
        "../scripts/relay.py"
