"""Raw data, and the tables made from it; tasks with their own rules have them in the folder `tasks`."""


rule download:
    """Fetch a task's raw data from the mirror, the official address or the embedded generator."""
    output:
        directory(f"{RESULTS}/{{task}}/raw"),
    log:
        f"{RESULTS}/logs/{{task}}/download.log",
    benchmark:
        f"{RESULTS}/benchmarks/{{task}}/download.tsv"
    wildcard_constraints:
        task=having("download"),
    priority: FIRST
    localrule: True  # cluster nodes often have no internet access
    threads: 1
    resources:
        mem_mb=growing(1000),
        runtime=growing(60),
    params:
        source=config["data"]["source"],
        partial=f"{RESULTS}/.downloads",
        code=embedded_code,
    script:
        "../scripts/download.py"


rule prepare:
    """Make the inventory, the items and the traces of a task without its own rules."""
    input:
        raw=f"{RESULTS}/{{task}}/raw",
    output:
        inventory=f"{POINT}/{{task}}/inventory.parquet",
        item_table=f"{POINT}/{{task}}/items.parquet",
        traces=f"{POINT}/{{task}}/traces.parquet",
        provenance=f"{POINT}/{{task}}/provenance.json",
    log:
        f"{POINT}/logs/{{task}}/prepare.log",
    benchmark:
        f"{POINT}/benchmarks/{{task}}/prepare.tsv"
    wildcard_constraints:
        task=having("prepare"),
    priority: FIRST
    threads: 1
    resources:
        mem_mb=growing(2000),
        runtime=growing(10),
    params:
        settings=lambda wildcards: at(wildcards).get(wildcards.task, {}),
        code=code("prepare"),
    script:
        "../scripts/prepare.py"
