"""Driving: robots drive with recorded humans, and can be watched.

Two robots also drive with every message translated into English and back, and a robot with a model human who listens.
"""


rule evaluate_behavior:
    """Let robots drive with replayed humans, whose messages are translated."""
    input:
        reads("evaluate_behavior"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/behavior_test.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/evaluate_behavior.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/evaluate_behavior.tsv"
    wildcard_constraints:
        task="driving",
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        fresh=lambda wildcards: at(wildcards)["messages"]["held_out"],
        game=game,
        resamples=lambda wildcards: at(wildcards)["evaluation"]["resamples"],
        code=code("tasks/evaluate_behavior"),
    script:
        "../../scripts/tasks/evaluate_behavior.py"


rule train_silent:
    """Train one agent without a channel, to measure the value of language."""
    input:
        reads("train_silent"),
    output:
        agent=f"{POINT}/{{task}}/seed{{seed}}/silent_agent.safetensors",
        history=f"{POINT}/{{task}}/seed{{seed}}/silent_history.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/train_silent.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/train_silent.tsv"
    wildcard_constraints:
        task="driving",
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(60),
    params:
        cell=lambda wildcards: at(wildcards)["agent"],
        training=lambda wildcards: at(wildcards)["training"][wildcards.task],
        game=game,
        checkpoints=f"{RESULTS}/.checkpoints",
        code=code("train_agent"),
    script:
        "../../scripts/train_agent.py"


rule relay_driving:
    """Choose on dev games which criteria translate between two robots, and let them drive so, into English and back."""
    input:
        reads("relay_driving"),
        silent=(
            f"{RESULTS}/{{task}}/seed{{seed}}/silent_agent.safetensors"
            if config["driving"]["relay"]["silent_agents"]
            else []
        ),
    output:
        choice=f"{RESULTS}/{{task}}/seed{{seed}}/relay_choice.parquet",
        relay=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/relay.parquet",
            category="Tables",
            caption="../../report/relay.rst",
        ),
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/relay_driving.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/relay_driving.tsv"
    wildcard_constraints:
        task="driving",
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        relay=config["driving"]["relay"],
        criteria=config["criteria"],
        game=game,
        resamples=config["evaluation"]["resamples"],
        code=code("tasks/relay_driving"),
    script:
        "../../scripts/tasks/relay_driving.py"


rule listen_driving:
    """Fit what human drivers do next, and let a robot drive with such a model human, with all that they say translated."""
    input:
        reads("listen_driving"),
    output:
        driver=f"{RESULTS}/{{task}}/seed{{seed}}/driver.safetensors",
        held_out=f"{RESULTS}/{{task}}/seed{{seed}}/driver.json",
        listening=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/listening.parquet",
            category="Tables",
            caption="../../report/listening.rst",
        ),
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/listen_driving.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/listen_driving.tsv"
    wildcard_constraints:
        task="driving",
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        fit=config["driving"]["driver"],
        relay=config["driving"]["relay"],
        criteria=config["criteria"],
        game=game,
        resamples=config["evaluation"]["resamples"],
        code=code("tasks/listen_driving"),
    script:
        "../../scripts/tasks/listen_driving.py"


rule tabulate_listening:
    """Collect how robots drive with model humans who listen, over all seeds."""
    input:
        reads("tabulate_listening"),
    output:
        report(
            f"{RESULTS}/tables/listening.parquet",
            category="Tables",
            caption="../../report/listening.rst",
        ),
    log:
        f"{RESULTS}/logs/tables/listening.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/listening.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("tasks/tabulate_listening"),
    script:
        "../../scripts/tasks/tabulate_listening.py"


rule watch_driving:
    """Play a few driving games and draw the first of each pair turn by turn, with what is said in English."""
    input:
        reads("watch_driving"),
    output:
        watched=f"{RESULTS}/{{task}}/seed{{seed}}/watched.parquet",
        robots=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/game_robots.png",
            category="Games",
            caption="../../report/game.rst",
        ),
        mixed=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/game_mixed.png",
            category="Games",
            caption="../../report/game.rst",
        ),
        animation=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/game_robots.gif",
            category="Games",
            caption="../../report/game.rst",
        ),
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/watch.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/watch.tsv"
    wildcard_constraints:
        task="driving",
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        number=config["examples"]["games"],
        criterion=config["examples"]["criterion"],
        relay=config["driving"]["relay"],
        criteria=config["criteria"],
        game=game,
        code=code("tasks/watch_driving"),
    script:
        "../../scripts/tasks/watch_driving.py"
