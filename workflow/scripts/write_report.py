"""Write the report."""

from neuralese import tasks
from neuralese.evaluate.comparison import read_comparison
from neuralese.pipeline.stage import by_name, stage
from neuralese.report.page.beyond import load_beyond
from neuralese.report.page.facts import run_facts
from neuralese.report.page.write import write_page

with stage(snakemake):
    params, given = snakemake.params, by_name(snakemake.input.made)
    shown = [tasks.get(name) for name in params.tasks]
    facts = run_facts(given["provenance.json"], params.seeds, params.benchmarks)
    beyond = load_beyond({name: paths[0] for name, paths in given.items()})
    beyond["faithful"] = read_comparison(snakemake.input.faithful) if snakemake.input.faithful else None
    comparison = read_comparison(given["comparison.csv"][0])
    write_page(snakemake.output[0], given["report.json"], shown, facts, comparison, beyond)
