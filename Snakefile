"""The workflow of this repository, where Snakemake looks first; it is workflow/Snakefile."""

# as `include:` does, but with the rule that runs if none is named
workflow.include("workflow/Snakefile", overwrite_default_target=True)
