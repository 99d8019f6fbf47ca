"""Evaluations, and the tables that compare them with the paper."""


rule evaluate_belief:
    """Let every listener guess the state of every speaker, and compare what translation loses with its bound."""
    input:
        reads("evaluate_belief"),
    output:
        belief=f"{POINT}/{{task}}/seed{{seed}}/belief_test.parquet",
        bound=f"{POINT}/{{task}}/seed{{seed}}/bound.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/evaluate_belief.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/evaluate_belief.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(3000),
        runtime=growing(10),
    params:
        held_out=lambda wildcards: at(wildcards)["messages"]["held_out"],
        evaluation=lambda wildcards: at(wildcards)["evaluation"],
        messages=lambda wildcards: at(wildcards)["ablation"]["messages"],
        criterion=lambda wildcards: at(wildcards)["examples"]["criterion"],
        game=game,
        code=code("evaluate_belief"),
    script:
        "../scripts/evaluate_belief.py"


rule ablate:
    """Evaluate every member of every family of criteria on dev and test."""
    input:
        reads("ablate"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/ablation.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/ablate.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/ablate.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        messages=lambda wildcards: at(wildcards)["ablation"]["messages"],
        contexts=lambda wildcards: at(wildcards)["ablation"]["contexts"],
        humans=lambda wildcards: at(wildcards)["ablation"]["humans"],
        families=lambda wildcards: at(wildcards)["criteria"]
        | at(wildcards)["ablation"]["also"],
        resamples=lambda wildcards: at(wildcards)["evaluation"]["resamples"],
        game=game,
        code=code("ablate"),
    script:
        "../scripts/ablate.py"


rule choose_criteria:
    """Choose on dev, over all seeds, which member of each family of criteria translates, and record why."""
    input:
        reads("choose_criteria"),
    output:
        f"{POINT}/{{task}}/criteria.parquet",
    log:
        f"{POINT}/logs/{{task}}/choose_criteria.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/choose_criteria.tsv"
    priority: SECOND
    threads: 1
    resources:
        mem_mb=growing(500),
        runtime=growing(5),
    params:
        criteria=lambda wildcards: at(wildcards)["criteria"],
        code=code("choose_criteria"),
    script:
        "../scripts/choose_criteria.py"


rule tabulate_ablation:
    """Collect the ablations of all tasks and seeds and what was chosen on dev, and draw the test results."""
    input:
        reads("tabulate_ablation"),
    output:
        table=report(
            f"{RESULTS}/tables/ablation.parquet",
            category="Tables",
            caption="../report/ablation.rst",
        ),
        criteria=report(
            f"{RESULTS}/tables/criteria.parquet",
            category="Tables",
            caption="../report/criteria.rst",
        ),
        figures=report(
            multiext(f"{RESULTS}/figures/ablation", ".png", ".svg"),
            category="Figures",
            caption="../report/ablation.rst",
        ),
    log:
        f"{RESULTS}/logs/tables/ablation.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/ablation.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("tabulate_ablation"),
    script:
        "../scripts/tabulate_ablation.py"


BEHAVIOR = (
    {"behavior": f"{RESULTS}/tables/behavior.parquet"}
    if set(TASKS) & set(tasks_with("behavior_test.parquet"))
    else {}
)


rule tabulate:
    """Collect the test results of all tasks and seeds, and compare them with the paper's."""
    input:
        reads("tabulate"),
    output:
        **{
            name: report(path, category="Tables", caption="../report/behavior.rst")
            for name, path in BEHAVIOR.items()
        },
        belief=report(
            f"{RESULTS}/tables/belief.parquet",
            category="Tables",
            caption="../report/belief.rst",
        ),
        csv=report(
            f"{RESULTS}/tables/comparison.csv",
            category="Tables",
            caption="../report/comparison.rst",
        ),
        tex=report(
            f"{RESULTS}/tables/comparison.tex",
            category="Tables",
            caption="../report/comparison.rst",
        ),
        html=report(
            f"{RESULTS}/tables/comparison.html",
            category="Tables",
            caption="../report/comparison.rst",
        ),
        md=report(
            f"{RESULTS}/tables/comparison.md",
            category="Tables",
            caption="../report/comparison.rst",
        ),
    log:
        f"{RESULTS}/logs/tables/tabulate.log",
    benchmark:
        f"{RESULTS}/benchmarks/tables/tabulate.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("tabulate"),
    script:
        "../scripts/tabulate.py"


rule analyse_protocol:
    """Measure how much the robot's messages say, and about what."""
    input:
        reads("analyse_protocol"),
    output:
        table=report(
            f"{POINT}/{{task}}/seed{{seed}}/protocol.parquet",
            category="Protocols",
            caption="../report/protocol.rst",
        ),
        figure=report(
            f"{POINT}/{{task}}/seed{{seed}}/protocol.png",
            category="Protocols",
            caption="../report/protocol.rst",
        ),
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/analyse_protocol.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/analyse_protocol.tsv"
    wildcard_constraints:
        task=having("analyse_protocol"),
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        game=game,
        code=code("analyse_protocol"),
    script:
        "../scripts/analyse_protocol.py"
