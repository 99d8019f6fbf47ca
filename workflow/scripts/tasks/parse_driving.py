"""Turn the logs of driving games into tables."""

from pathlib import Path

from neuralese.sources.provenance import write_provenance
from neuralese.stages import stage
from neuralese.storage.tables import write_table
from neuralese.tasks.driving import logs
from neuralese.tasks.driving.replay import layouts, replay
from neuralese.tasks.driving.tables import GAMES, MAPS, TURNS

with stage(snakemake):
    made, params = snakemake.output, snakemake.params
    maps, turns, bad = logs.parse(Path(snakemake.input.raw) / "logs")
    games, turns, bad = logs.leave_out(replay(layouts(maps, turns), turns), turns, bad)
    games["split"] = logs.splits(len(games), params.dev_games, params.test_games)
    write_table(made.maps, layouts(maps, turns), MAPS, about=params.rules)
    write_table(made.games, games, GAMES)
    write_table(made.turns, turns, TURNS)
    rows = {"games": len(games), "turns": len(turns), "messages": int((turns["message"] != "").sum())}
    write_provenance(made.provenance, snakemake.input.raw, rows, left_out=bad)
