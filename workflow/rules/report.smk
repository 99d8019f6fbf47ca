"""Pictures and pages for people."""

TABLE_FIGURES = expand(
    f"{RESULTS}/figures/table_{{number}}.{{format}}",
    number=[
        number
        for task, numbers in {
            "colors": ["1a"],
            "birds": ["1b"],
            "driving": ["2", "3"],
        }.items()
        if task in TASKS
        for number in numbers
    ],
    format=["png", "svg"],
)


rule draw_color_examples:
    """Show pairs of colours and the best translations of what the robot says of one (Figure 6)."""
    input:
        provenance=f"{RESULTS}/colors/provenance.json",
        colors=f"{RESULTS}/colors/colors.parquet",
        messages=f"{RESULTS}/colors/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/colors/seed{{seed}}/dictionary.parquet",
    output:
        examples=f"{RESULTS}/colors/seed{{seed}}/examples.parquet",
        figures=report(
            multiext(
                f"{RESULTS}/figures/figure_6_colors_seed{{seed}}", ".png", ".svg"
            ),
            category="Figures",
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
        code=code("draw_color_examples"),
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
        figures=report(
            multiext(f"{RESULTS}/figures/figure_2_birds_seed{{seed}}", ".png", ".svg"),
            category="Figures",
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
        code=code("draw_bird_examples"),
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
        figures=report(
            multiext(
                f"{RESULTS}/figures/figure_7_driving_seed{{seed}}", ".png", ".svg"
            ),
            category="Figures",
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
        code=code("draw_driving_examples"),
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
        utterances=f"{RESULTS}/{{task}}/utterances.parquet",
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
        max_steps=config["games"]["driving_steps"],
        code=code("watch_driving"),
    script:
        "../scripts/watch_driving.py"


rule draw_tables:
    """Draw each of the paper's tables: our figures with their intervals, and the paper's where data is real."""
    input:
        comparison=f"{RESULTS}/tables/comparison.csv",
    output:
        report(
            TABLE_FIGURES,
            category="Figures",
            caption="../report/tables.rst",
        ),
    log:
        f"{RESULTS}/logs/tables/draw.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/draw.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("draw_tables"),
    script:
        "../scripts/draw_tables.py"


rule gather_report:
    """Gather what the report shows of one task and seed: translations, beliefs, messages and games."""
    input:
        unpack(trace_tables),
        unpack(color_table),
        unpack(shown_tables),
        provenance=f"{RESULTS}/{{task}}/provenance.json",
        history=f"{RESULTS}/{{task}}/seed{{seed}}/history.parquet",
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
        robot=f"{RESULTS}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
        human=f"{RESULTS}/{{task}}/seed{{seed}}/human_speaker.safetensors",
        listener=f"{RESULTS}/{{task}}/seed{{seed}}/human_listener.safetensors",
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/{{task}}/seed{{seed}}/dictionary.parquet",
        synthesis=f"{RESULTS}/{{task}}/seed{{seed}}/synthesis.parquet",
        new_messages=f"{RESULTS}/{{task}}/seed{{seed}}/new_messages.parquet",
        bags=f"{RESULTS}/{{task}}/seed{{seed}}/bags.parquet",
        utterances=f"{RESULTS}/{{task}}/utterances.parquet",
        protocol=f"{RESULTS}/{{task}}/seed{{seed}}/protocol.parquet",
    output:
        f"{RESULTS}/{{task}}/seed{{seed}}/report.json",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/gather_report.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/gather_report.tsv"
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(5),
    params:
        criterion=config["examples"]["criterion"],
        code=code("gather_report"),
    script:
        "../scripts/gather_report.py"


rule write_report:
    """Write the report: one page that opens from disk, with the tables beside the paper and every task to explore."""
    input:
        parts=expand(
            f"{RESULTS}/{{task}}/seed{{seed}}/report.json", task=TASKS, seed=SEEDS
        ),
        provenance=expand(f"{RESULTS}/{{task}}/provenance.json", task=TASKS),
        comparison=f"{RESULTS}/tables/comparison.csv",
        faithful=faithful_comparison,
        criteria=f"{RESULTS}/tables/criteria.parquet",
        ablation=f"{RESULTS}/tables/ablation.parquet",
        bound=f"{RESULTS}/tables/bound.parquet",
        proposition_1=f"{RESULTS}/theory/proposition_1.parquet",
        proposition_2=f"{RESULTS}/theory/proposition_2.parquet",
    output:
        report(
            f"{RESULTS}/report/index.html",
            category="Report",
            caption="../report/index.rst",
        ),
    log:
        f"{RESULTS}/logs/report/write.log",
    benchmark:
        f"{RESULTS}/benchmarks/report/write.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        seeds=SEEDS,
        benchmarks=f"{RESULTS}/benchmarks",
        code=code("write_report"),
    script:
        "../scripts/write_report.py"
