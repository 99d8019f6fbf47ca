"""Tables, figures and the report."""

# tables over all tasks and seeds, some of stages that not all tasks have
TABLES = ["belief", "ablation", "criteria"]
TABLES += [name for name in ("relay", "behavior", "listening") if tasks_with(name)]
# the comparison of a run of config/faithful.yaml in the same results, if there is one
FAITHFUL = f"{RESULTS}/faithful/tables/comparison.csv"


rule tabulate:
    """Collect the results of all tasks and seeds, compare them with the paper's, and plot them."""
    input:
        belief=of_seeds("belief_test.parquet"),
        ablation=of_seeds("ablation.parquet"),
        criteria=expand("<results>/{task}/criteria.parquet", task=TASKS),
        relay=of_seeds("relay.parquet", tasks_with("relay")),
        behavior=of_seeds("behavior_test.parquet", tasks_with("behavior")),
        listening=of_seeds("listening.parquet", tasks_with("listening")),
    output:
        **{
            name: report(f"<results>/tables/{name}.parquet", category="Tables", caption=f"../report/{name}.rst")
            for name in TABLES
        },
        comparison=report(
            multiext("<results>/tables/comparison", ".csv", ".tex", ".html", ".md"),
            category="Tables",
            caption="../report/comparison.rst",
        ),
        ablation_figures=report(
            multiext("<results>/figures/ablation", ".png", ".svg"),
            category="Figures",
            caption="../report/ablation.rst",
        ),
        figures=report(
            expand(
                "<results>/figures/table_{table}.{format}",
                table=[table for task in TASKS for table in tasks.get(task).tables],
                format=["png", "svg"],
            ),
            category="Figures",
            caption="../report/tables.rst",
        ),
    log:
        "<logs>/tables/tabulate.log",
    benchmark:
        "<benchmarks>/tables/tabulate.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("tabulate"),
    script:
        "../scripts/tabulate.py"


rule check_theory:
    """Check the two propositions on random games, and compare the bound with the loss on the tasks."""
    input:
        bound=of_seeds("bound.parquet"),
    output:
        proposition_1=report(
            "<results>/theory/proposition_1.parquet",
            category="Theory",
            caption="../report/theory.rst",
        ),
        proposition_2=report(
            "<results>/theory/proposition_2.parquet",
            category="Theory",
            caption="../report/theory.rst",
        ),
        bound=report("<results>/tables/bound.parquet", category="Theory", caption="../report/bound.rst"),
        figures=report(
            multiext("<results>/figures/theory", ".png", ".svg"),
            category="Theory",
            caption="../report/theory.rst",
        ),
    log:
        "<logs>/theory/check.log",
    benchmark:
        "<benchmarks>/theory/check.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        games=setting("theory.games"),
        code=code("check_theory"),
    script:
        "../scripts/check_theory.py"


rule gather_report:
    """Draw states with the English of the robot's messages (Figures 2, 6 and 7), and gather the data of the report."""
    input:
        game=files_of("game"),
        human=files_of("human"),
        pictures=files_of("pictures"),
        watched=files_of("watched"),
        history=files_of("history"),
        robot=files_of("robot"),
        provenance="<data>/{task}/provenance.json",
        utterances="<data>/{task}/utterances.parquet",
        messages="<results>/{task}/seed{seed}/messages.parquet",
        robot_speaker="<results>/{task}/seed{seed}/robot_speaker.safetensors",
        human_speaker="<humans>/{task}/seed{seed}/human_speaker.safetensors",
        human_listener="<humans>/{task}/seed{seed}/human_listener.safetensors",
        dictionary="<results>/{task}/seed{seed}/dictionary.parquet",
        descriptions="<results>/{task}/seed{seed}/descriptions.parquet",
        protocol="<results>/{task}/seed{seed}/protocol.parquet",
    output:
        examples="<results>/{task}/seed{seed}/examples.parquet",
        figures=report(
            multiext("<results>/figures/examples_{task}_seed{seed}", ".png", ".svg"),
            category="Figures",
            caption="../report/examples.rst",
        ),
        report="<results>/{task}/seed{seed}/report.json",
    log:
        "<logs>/{task}/seed{seed}/gather_report.log",
    benchmark:
        "<benchmarks>/{task}/seed{seed}/gather_report.tsv"
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(5),
    params:
        number=setting("examples.count"),
        criterion=setting("examples.criterion"),
        game=setting("games.{task}"),
        code=code("gather_report"),
    script:
        "../scripts/gather_report.py"


rule write_report:
    """Write the report: a page that opens from disk, with all tables and a chapter on each task."""
    input:
        gathered=of_seeds("report.json"),
        provenance=expand("<data>/{task}/provenance.json", task=TASKS),
        comparison="<results>/tables/comparison.csv",
        tables=[f"<results>/tables/{name}.parquet" for name in ("bound", *TABLES)],
        propositions=multiext("<results>/theory/proposition_", "1.parquet", "2.parquet"),
        faithful=branch(exists(FAITHFUL), then=FAITHFUL),
    output:
        report("<results>/report/index.html", category="Report", caption="../report/index.rst"),
    log:
        "<logs>/report/write.log",
    benchmark:
        "<benchmarks>/report/write.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        names=TASKS,
        seeds=SEEDS,
        benchmarks="<results>/benchmarks",
        code=code("write_report"),
    script:
        "../scripts/write_report.py"
