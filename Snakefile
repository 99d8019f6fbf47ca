"""The workflow of this repository, where Snakemake looks first; it is workflow/Snakefile."""


include: "workflow/Snakefile"
