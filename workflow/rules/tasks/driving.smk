"""Driving: robots drive with recorded humans, and can be watched.

Two robots also drive with every message translated into English and back, and a robot with a model human who listens.
"""


# driving has a relay of its own
ruleorder: relay_driving > relay


rule evaluate_behavior:
    """Let robots drive with replayed humans and translate the messages of the humans."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        utterances="<data>/{task}/utterances.parquet",
        provenance="<data>/{task}/provenance.json",
        agent="<agents>/{task}/seed{seed}/agent.safetensors",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        dictionary="<results>/{task}/seed{seed}/dictionary.parquet",
    output:
        "<results>/{task}/seed{seed}/behavior_test.parquet",
    log:
        "<logs>/{task}/seed{seed}/evaluate_behavior.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/evaluate_behavior.tsv"
    wildcard_constraints:
        task="driving",
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        fresh=setting("messages.held_out"),
        game=setting("games.{task}"),
        resamples=setting("evaluation.resamples"),
        code=code("tasks/evaluate_behavior"),
    script:
        "../../scripts/tasks/evaluate_behavior.py"


rule relay_driving:
    """Choose criteria on dev games, and let two robots drive with every message translated into English and back."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        provenance="<data>/{task}/provenance.json",
        agent="<agents>/{task}/seed{seed}/agent.safetensors",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        human_listener="<humans>/{task}/seed{seed}/human_listener.safetensors",
        silent=branch(
            config["driving"]["relay"]["silent_agents"],
            then="<agents>/{task}/seed{seed}/silent_agent.safetensors",
        ),
    output:
        choice="<results>/{task}/seed{seed}/relay_choice.parquet",
        relay=report("<results>/{task}/seed{seed}/relay.parquet", category="Tables", caption="../../report/relay.rst"),
    log:
        "<logs>/{task}/seed{seed}/relay_driving.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/relay_driving.tsv"
    wildcard_constraints:
        task="driving",
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        relay=setting("driving.relay"),
        criteria=setting("criteria"),
        game=setting("games.{task}"),
        resamples=setting("evaluation.resamples"),
        code=code("tasks/relay_driving"),
    script:
        "../../scripts/tasks/relay_driving.py"


rule listen_driving:
    """Fit a model human driver, and let a robot drive with it, with all messages translated."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        provenance="<data>/{task}/provenance.json",
        agent="<agents>/{task}/seed{seed}/agent.safetensors",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        choice="<results>/{task}/seed{seed}/relay_choice.parquet",
    output:
        driver="<results>/{task}/seed{seed}/driver.safetensors",
        held_out="<results>/{task}/seed{seed}/driver.json",
        listening=report(
            "<results>/{task}/seed{seed}/listening.parquet",
            category="Tables",
            caption="../../report/listening.rst",
        ),
    log:
        "<logs>/{task}/seed{seed}/listen_driving.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/listen_driving.tsv"
    wildcard_constraints:
        task="driving",
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        fit=setting("driving.driver"),
        relay=setting("driving.relay"),
        criteria=setting("criteria"),
        game=setting("games.{task}"),
        resamples=setting("evaluation.resamples"),
        code=code("tasks/listen_driving"),
    script:
        "../../scripts/tasks/listen_driving.py"


rule watch_driving:
    """Play a few driving games and record every turn, with the messages in English."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        utterances="<data>/{task}/utterances.parquet",
        provenance="<data>/{task}/provenance.json",
        agent="<agents>/{task}/seed{seed}/agent.safetensors",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        dictionary="<results>/{task}/seed{seed}/dictionary.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        choice="<results>/{task}/seed{seed}/relay_choice.parquet",
    output:
        "<results>/{task}/seed{seed}/watched.parquet",
    log:
        "<logs>/{task}/seed{seed}/watch.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/watch.tsv"
    wildcard_constraints:
        task="driving",
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        number=setting("examples.games"),
        criterion=setting("examples.criterion"),
        relay=setting("driving.relay"),
        criteria=setting("criteria"),
        game=setting("games.{task}"),
        code=code("tasks/watch_driving"),
    script:
        "../../scripts/tasks/watch_driving.py"
