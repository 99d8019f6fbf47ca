"""Pictures for people."""


rule draw_color_examples:
    """Show pairs of colours and the best translations of what the robot says of one (Figure 6)."""
    input:
        provenance=f"{RESULTS}/colors/provenance.json",
        colors=f"{RESULTS}/colors/colors.parquet",
        messages=f"{RESULTS}/colors/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/colors/seed{{seed}}/dictionary.parquet",
    output:
        examples=f"{RESULTS}/colors/seed{{seed}}/examples.parquet",
        figure=report(
            f"{RESULTS}/colors/seed{{seed}}/examples.png",
            category="Examples",
            caption="../report/examples.rst",
        ),
    log:
        f"{RESULTS}/logs/colors/seed{{seed}}/draw_examples.log",
    benchmark:
        f"{RESULTS}/benchmarks/colors/seed{{seed}}/draw_examples.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        number=config["examples"]["count"],
        criterion=config["examples"]["criterion"],
        code=code("report"),
    script:
        "../scripts/draw_color_examples.py"


rule draw_bird_examples:
    """Show pairs of birds and the best translations of what the robot says of one (Figure 2)."""
    input:
        provenance=f"{RESULTS}/birds/provenance.json",
        raw=f"{RESULTS}/birds/raw",
        images=f"{RESULTS}/birds/images.parquet",
        item_table=f"{RESULTS}/birds/items.parquet",
        messages=f"{RESULTS}/birds/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/birds/seed{{seed}}/dictionary.parquet",
    output:
        examples=f"{RESULTS}/birds/seed{{seed}}/examples.parquet",
        figure=report(
            f"{RESULTS}/birds/seed{{seed}}/examples.png",
            category="Examples",
            caption="../report/examples.rst",
        ),
    log:
        f"{RESULTS}/logs/birds/seed{{seed}}/draw_examples.log",
    benchmark:
        f"{RESULTS}/benchmarks/birds/seed{{seed}}/draw_examples.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        number=config["examples"]["count"],
        criterion=config["examples"]["criterion"],
        code=code("report", "features/images.py"),
    script:
        "../scripts/draw_bird_examples.py"


rule draw_driving_examples:
    """Show driving states and the best translations of what the robot says in them (Figure 7)."""
    input:
        provenance=f"{RESULTS}/driving/provenance.json",
        maps=f"{RESULTS}/driving/maps.parquet",
        messages=f"{RESULTS}/driving/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/driving/seed{{seed}}/dictionary.parquet",
    output:
        examples=f"{RESULTS}/driving/seed{{seed}}/examples.parquet",
        figure=report(
            f"{RESULTS}/driving/seed{{seed}}/examples.png",
            category="Examples",
            caption="../report/examples.rst",
        ),
    log:
        f"{RESULTS}/logs/driving/seed{{seed}}/draw_examples.log",
    benchmark:
        f"{RESULTS}/benchmarks/driving/seed{{seed}}/draw_examples.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(5),
    params:
        number=config["examples"]["count"],
        criterion=config["examples"]["criterion"],
        code=code("report", "games"),
    script:
        "../scripts/draw_driving_examples.py"


rule watch_driving:
    """Play a few driving games and draw the first of each pair turn by turn, with what is said in English."""
    input:
        unpack(trace_tables),
        provenance=f"{RESULTS}/{{task}}/provenance.json",
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{RESULTS}/{{task}}/seed{{seed}}/contexts.parquet",
        robot=f"{RESULTS}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
        human=f"{RESULTS}/{{task}}/seed{{seed}}/human_speaker.safetensors",
        dictionary=f"{RESULTS}/{{task}}/seed{{seed}}/dictionary.parquet",
    output:
        watched=f"{RESULTS}/{{task}}/seed{{seed}}/watched.parquet",
        robots=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/game_robots.png",
            category="Games",
            caption="../report/game.rst",
        ),
        mixed=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/game_mixed.png",
            category="Games",
            caption="../report/game.rst",
        ),
        animation=report(
            f"{RESULTS}/{{task}}/seed{{seed}}/game_robots.gif",
            category="Games",
            caption="../report/game.rst",
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
        criteria=config["criteria"],
        max_steps=config["games"]["driving_steps"],
        code=code("report", "games", "agents", "translate", "evaluate/behavior.py"),
    script:
        "../scripts/watch_driving.py"
