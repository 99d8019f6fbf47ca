"""Entry point of the workflow, where Snakemake looks for it."""


include: "workflow/Snakefile"


rule default:
    """Make all results. The default target of an included file does not apply here, so it is set again."""
    default_target: True
    input:
        rules.all.input,
