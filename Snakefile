"""The workflow of this repository, where Snakemake looks first; it is workflow/Snakefile."""


include: "workflow/Snakefile"


rule default:
    """What is made if no target is named; an included file cannot say so itself."""
    default_target: True
    input:
        rules.all.input,
