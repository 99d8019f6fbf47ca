"""Collect the results of all points of a sweep, and plot translation and protocol over each swept value."""

from neuralese.stages import stage
from neuralese.stages.report import draw_sweep, tabulate_sweep
from neuralese.storage.tables import write_table

with stage(snakemake) as job:
    points = job.settings["points"]
    tables = {name: tabulate_sweep(paths, name, points) for name, paths in job.input.items() if paths}
    for name, table in tables.items():
        write_table(job.output[name], table, name)
    draw_sweep(job.output.figure, tables, [*points[0]], job.settings["criterion"])
