"""Write the report."""

from neuralese.evaluate.comparison import read_comparison
from neuralese.pipeline.stage import stage
from neuralese.report.page.beyond import load_beyond
from neuralese.report.page.facts import run_facts
from neuralese.report.page.write import write_page

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    facts = run_facts(given.provenance, params.seeds, params.benchmarks)
    faithful = read_comparison(given.faithful) if given.faithful else None
    comparison = read_comparison(given.comparison)
    write_page(snakemake.output[0], given.parts, facts, comparison, load_beyond(given), faithful)
