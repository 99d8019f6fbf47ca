"""Collect results and compare them with the paper's."""

from neuralese.evaluate.formats import to_html, to_latex, to_markdown
from neuralese.stages import stage
from neuralese.stages.report import collect, tabulate
from neuralese.storage.files import write_text
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    made, parts = job.output, {}
    for name in made.keys() & {"belief", "behavior"}:
        parts[name] = collect(job.inputs[f"{name}_test.parquet"], name)
        write_table(made[name], parts[name], name)
    comparison = tabulate(**parts)
    write_text(made.csv, comparison.to_csv(index=False))
    write_text(made.tex, to_latex(comparison))
    write_text(made.html, to_html(comparison))
    write_text(made.md, to_markdown(comparison))
