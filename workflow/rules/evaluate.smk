"""Evaluations, and the tables that compare them with the paper."""


rule evaluate_belief:
    """Play the state-guessing game for every pair of speaker and listener on one split."""
    input:
        item_table=f"{RESULTS}/{{task}}/items.parquet",
        traces=f"{RESULTS}/{{task}}/traces.parquet",
        inventory=f"{RESULTS}/{{task}}/inventory.parquet",
        provenance=f"{RESULTS}/{{task}}/provenance.json",
        agent=f"{RESULTS}/{{task}}/seed{{seed}}/agent.safetensors",
        listener=f"{RESULTS}/{{task}}/seed{{seed}}/human_listener.safetensors",
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        dictionary=f"{RESULTS}/{{task}}/seed{{seed}}/dictionary.parquet",
    output:
        f"{RESULTS}/{{task}}/seed{{seed}}/belief_{{split}}.parquet",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/evaluate_belief_{{split}}.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/evaluate_belief_{{split}}.tsv"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=10,
    params:
        held_out=config["messages"]["held_out"],
        resamples=config["evaluation"]["resamples"],
        code=code(
            "games",
            "agents",
            "speakers",
            "evaluate/belief.py",
            "evaluate/statistics.py",
            "randomness.py",
        ),
    script:
        "../scripts/evaluate_belief.py"


rule tabulate:
    """Collect the test results of all tasks and seeds, and set them beside the paper's."""
    input:
        expand(
            f"{RESULTS}/{{task}}/seed{{seed}}/belief_test.parquet",
            task=TASKS,
            seed=SEEDS,
        ),
    output:
        belief=f"{RESULTS}/tables/belief.parquet",
        csv=f"{RESULTS}/tables/comparison.csv",
        tex=f"{RESULTS}/tables/comparison.tex",
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
        mem_mb=1000,
        runtime=5,
    params:
        code=code("evaluate/paper.py"),
    script:
        "../scripts/tabulate.py"
