"""Translate neuralese into English and back; this file is the index, the stages are in workflow/rules/."""

from snakemake.utils import min_version

min_version("9.20")


configfile: "config/config.yaml"


# asked for only under --software-deployment-method apptainer; build it with: apptainer build neuralese.sif neuralese.def
container: "neuralese.sif"


include: "workflow/rules/common.smk"


wildcard_constraints:
    task="|".join(tasks.names()),
    seed=r"\d+",
    split="|".join(WILDCARDS["split"]),
    point=r"(/sweep/[^/]+)?",


include: "workflow/rules/data.smk"
include: "workflow/rules/agents.smk"
include: "workflow/rules/speakers.smk"
include: "workflow/rules/translate.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/relay.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/sweep.smk"


for rules_of_task in dict.fromkeys(task.rules for task in tasks.every() if task.rules):

    include: Path("workflow/rules") / rules_of_task


onstart:
    if wrong := unwritable(RESULTS):
        raise WorkflowError(wrong)
    if ahead := redate(RESULTS):
        logger.warning(
            f"The clock was set back: {ahead} results from the future are now dated to the present."
        )


rule all:
    """Everything the config asks for."""
    default_target: True
    input:
        expand(
            f"{RESULTS}/tables/comparison.{{format}}",
            format=["md", "csv", "tex", "html"],
        ),
        f"{RESULTS}/tables/belief.parquet",
        f"{RESULTS}/tables/ablation.parquet",
        f"{RESULTS}/tables/bound.parquet",
        [f"{RESULTS}/tables/relay.parquet"] if RELAYED else [],
        expand(f"{RESULTS}/{{task}}/seed{{seed}}/protocol.png", task=TASKS, seed=SEEDS),
        list(BEHAVIOR.values()),
        expand(
            f"{RESULTS}/{{task}}/seed{{seed}}/examples.parquet", task=TASKS, seed=SEEDS
        ),
        [
            path
            for task in TASKS
            if task in tasks_with("relay.parquet")
            for path in made("relay.parquet", task, SEEDS)
        ],
        [
            f"{RESULTS}/tables/listening.parquet"
            for task in TASKS
            if task in tasks_with("listening.parquet")
        ],
        TABLE_FIGURES,
        f"{RESULTS}/report/index.html",


include: "workflow/rules/stamps.smk"
