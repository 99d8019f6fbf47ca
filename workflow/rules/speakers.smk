"""Messages of the robot, their model and their analysis."""


rule fit_robot_speaker:
    """Record messages of the robot, draw contexts, and fit p(z | x) to the messages."""
    input:
        game=files_of("game"),
        robot=files_of("robot"),
        provenance="<data>/{task}/provenance.json",
    output:
        messages="<results>/{task}/seed{seed}/messages.parquet",
        contexts="<results>/{task}/seed{seed}/contexts.parquet",
        speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
    log:
        "<logs>/{task}/seed{seed}/fit_robot_speaker.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/fit_robot_speaker.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2500),
        runtime=growing(10),
    params:
        fit=setting("speakers.{task}"),
        counts=setting("messages"),
        game=setting("games.{task}"),
        code=code("fit_robot_speaker"),
    script:
        "../scripts/fit_robot_speaker.py"


rule analyse_protocol:
    """Measure the information in the robot's messages about each variable of the state."""
    input:
        game=files_of("game"),
        variables=files_of("variables"),
        robot=files_of("robot"),
        provenance="<data>/{task}/provenance.json",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
    output:
        report(
            "<results>/{task}/seed{seed}/protocol.parquet",
            category="Protocols",
            caption="../report/protocol.rst",
        ),
    log:
        "<logs>/{task}/seed{seed}/analyse_protocol.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/analyse_protocol.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        game=setting("games.{task}"),
        code=code("analyse_protocol"),
    script:
        "../scripts/analyse_protocol.py"
