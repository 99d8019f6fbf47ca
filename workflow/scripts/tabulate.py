"""Collect results, compare them with the paper's, and plot them."""

from neuralese.evaluate.comparison import read_comparison, to_html, to_latex, to_markdown
from neuralese.stages import stage
from neuralese.stages.report import collect, draw_tables, tabulate, tabulate_ablation
from neuralese.storage.files import write_text
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    tables = {name: collect(paths, name) for name, paths in job.input.items() if paths}
    tables["ablation"] = tabulate_ablation(tables["ablation"], tables["criteria"], job.output.ablation_figures)
    for name, table in tables.items():
        write_table(job.output[name], table, name)
    comparison = tabulate(tables["belief"], tables.get("behavior"))
    csv, tex, html, md = job.output.comparison
    write_text(csv, comparison.to_csv(index=False))
    write_text(tex, to_latex(comparison))
    write_text(html, to_html(comparison))
    write_text(md, to_markdown(comparison))
    draw_tables(read_comparison(csv), job.output.figures)
