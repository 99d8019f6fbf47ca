"""Write the report."""

from neuralese.evaluate.paper import read_comparison
from neuralese.report.page.beyond import load_beyond
from neuralese.report.page.facts import run_facts
from neuralese.report.page.write import write_page
from neuralese.stage import stage

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    facts = run_facts(given.provenance, params.seeds, params.benchmarks)
    write_page(snakemake.output[0], given.parts, facts, read_comparison(given.comparison), load_beyond(given))
