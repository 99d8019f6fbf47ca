"""Evaluations, and the tables that compare them with the paper."""


rule evaluate_belief:
    """Play the state-guessing game for every pair of speaker and listener on one split."""
    input:
        unpack(trace_tables),
        provenance=data("provenance.json"),
        agent=made("agent.safetensors"),
        robot=made("robot_speaker.safetensors"),
        listener=made("human_listener.safetensors"),
        messages=made("messages.parquet"),
        dictionary=made("dictionary.parquet"),
        synthesis=made("synthesis.parquet"),
        new_messages=made("new_messages.parquet"),
        bags=made("bags.parquet"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/belief_{{split}}.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/evaluate_belief_{{split}}.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/evaluate_belief_{{split}}.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        held_out=lambda wildcards: at(wildcards)["messages"]["held_out"],
        resamples=lambda wildcards: at(wildcards)["evaluation"]["resamples"],
        code=code(
            "games",
            "agents",
            "speakers",
            "translate/pragmatics.py",
            "evaluate/belief.py",
            "evaluate/translations.py",
            "evaluate/statistics.py",
            "randomness.py",
        ),
    script:
        "../scripts/evaluate_belief.py"


rule ablate:
    """Evaluate the whole family of criteria on dev and test."""
    input:
        unpack(trace_tables),
        provenance=data("provenance.json"),
        agent=made("agent.safetensors"),
        robot=made("robot_speaker.safetensors"),
        human=made("human_speaker.safetensors"),
        listener=made("human_listener.safetensors"),
        messages=made("messages.parquet"),
        contexts=made("contexts.parquet"),
        synthesis=made("synthesis.parquet"),
        new_messages=made("new_messages.parquet"),
        bags=made("bags.parquet"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/ablation.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/ablate.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/ablate.tsv"
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(20),
    params:
        messages=lambda wildcards: at(wildcards)["ablation"]["messages"],
        contexts=lambda wildcards: at(wildcards)["ablation"]["contexts"],
        humans=lambda wildcards: at(wildcards)["ablation"]["humans"],
        resamples=lambda wildcards: at(wildcards)["evaluation"]["resamples"],
        code=code(
            "games",
            "agents",
            "speakers",
            "translate",
            "evaluate/ablation.py",
            "evaluate/belief.py",
            "evaluate/translations.py",
            "evaluate/statistics.py",
            "randomness.py",
        ),
    script:
        "../scripts/ablate.py"


rule tabulate_ablation:
    """Collect the ablations of all tasks and seeds, choose on dev, and draw the test results."""
    input:
        expand(
            f"{RESULTS}/{{task}}/seed{{seed}}/ablation.parquet",
            task=TASKS,
            seed=SEEDS,
        ),
    output:
        table=f"{RESULTS}/tables/ablation.parquet",
        figure=report(
            f"{RESULTS}/figures/ablation.png",
            category="Tables",
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
        code=code("evaluate/ablation.py", "report/ablation.py"),
    script:
        "../scripts/tabulate_ablation.py"


rule evaluate_behavior:
    """Let robots drive with humans who are replayed, their messages translated."""
    input:
        unpack(trace_tables),
        provenance=data("provenance.json"),
        agent=made("agent.safetensors"),
        messages=made("messages.parquet"),
        dictionary=made("dictionary.parquet"),
        synthesis=made("synthesis.parquet"),
        new_messages=made("new_messages.parquet"),
    output:
        f"{POINT}/{{task}}/seed{{seed}}/behavior_{{split}}.parquet",
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/evaluate_behavior_{{split}}.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/evaluate_behavior_{{split}}.tsv"
    wildcard_constraints:
        task="driving",
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        fresh=lambda wildcards: at(wildcards)["messages"]["held_out"],
        max_steps=max_steps,
        resamples=lambda wildcards: at(wildcards)["evaluation"]["resamples"],
        code=code(
            "games",
            "agents",
            "speakers",
            "evaluate/behavior.py",
            "evaluate/belief.py",
            "evaluate/translations.py",
            "evaluate/statistics.py",
            "randomness.py",
        ),
    script:
        "../scripts/evaluate_behavior.py"


BEHAVIOR = (
    {"behavior": f"{RESULTS}/tables/behavior.parquet"} if "driving" in TASKS else {}
)


rule tabulate:
    """Collect the test results of all tasks and seeds, and set them beside the paper's."""
    input:
        belief=expand(
            f"{RESULTS}/{{task}}/seed{{seed}}/belief_test.parquet",
            task=TASKS,
            seed=SEEDS,
        ),
        behavior=expand(
            f"{RESULTS}/{{task}}/seed{{seed}}/behavior_test.parquet",
            task=set(TASKS) & {"driving"},
            seed=SEEDS,
        ),
    output:
        **BEHAVIOR,
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
        mem_mb=growing(1000),
        runtime=growing(5),
    params:
        code=code("evaluate/paper.py"),
    script:
        "../scripts/tabulate.py"


rule analyse_protocol:
    """Measure how much the robot's messages say, and about what."""
    input:
        unpack(trace_tables),
        unpack(color_table),
        provenance=data("provenance.json"),
        robot=made("robot_speaker.safetensors"),
        messages=made("messages.parquet"),
    output:
        table=f"{POINT}/{{task}}/seed{{seed}}/protocol.parquet",
        figure=report(
            f"{POINT}/{{task}}/seed{{seed}}/protocol.png",
            category="Protocols",
            caption="../report/protocol.rst",
        ),
    log:
        f"{POINT}/logs/{{task}}/seed{{seed}}/analyse_protocol.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/seed{{seed}}/analyse_protocol.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        code=code(
            "games",
            "evaluate/protocol.py",
            "evaluate/variables.py",
            "report/protocol.py",
        ),
    script:
        "../scripts/analyse_protocol.py"


rule measure_bound:
    """Measure the divergence of translations and the accuracy they lose."""
    input:
        unpack(game_tables),
        inventory=f"{RESULTS}/{{task}}/inventory.parquet",
        provenance=f"{RESULTS}/{{task}}/provenance.json",
        robot=f"{RESULTS}/{{task}}/seed{{seed}}/robot_speaker.safetensors",
        human=f"{RESULTS}/{{task}}/seed{{seed}}/human_speaker.safetensors",
        messages=f"{RESULTS}/{{task}}/seed{{seed}}/messages.parquet",
        contexts=f"{RESULTS}/{{task}}/seed{{seed}}/contexts.parquet",
        dictionary=f"{RESULTS}/{{task}}/seed{{seed}}/dictionary.parquet",
        belief=f"{RESULTS}/{{task}}/seed{{seed}}/belief_test.parquet",
    output:
        f"{RESULTS}/{{task}}/seed{{seed}}/bound.parquet",
    log:
        f"{RESULTS}/logs/{{task}}/seed{{seed}}/measure_bound.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/seed{{seed}}/measure_bound.tsv"
    threads: 1
    resources:
        mem_mb=growing(1500),
        runtime=growing(10),
    params:
        messages=config["ablation"]["messages"],
        criterion=config["examples"]["criterion"],
        code=code("games", "translate", "evaluate/bound.py"),
    script:
        "../scripts/measure_bound.py"


rule check_theory:
    """Check the two propositions on random games, and set the bound beside the loss on the tasks."""
    input:
        expand(f"{RESULTS}/{{task}}/seed{{seed}}/bound.parquet", task=TASKS, seed=SEEDS),
    output:
        proposition_1=f"{RESULTS}/theory/proposition_1.parquet",
        proposition_2=f"{RESULTS}/theory/proposition_2.parquet",
        bound=f"{RESULTS}/tables/bound.parquet",
        figure=report(
            f"{RESULTS}/figures/theory.png",
            category="Theory",
            caption="../report/theory.rst",
        ),
    log:
        f"{RESULTS}/logs/theory/check.log",
    benchmark:
        f"{RESULTS}/benchmarks/theory/check.tsv"
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(10),
    params:
        games=config["theory"]["games"],
        code=code("theory", "report/theory.py"),
    script:
        "../scripts/check_theory.py"
