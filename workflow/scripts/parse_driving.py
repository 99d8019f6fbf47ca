"""Turn the logs of driving games into tables."""

from pathlib import Path

from neuralese.data import driving
from neuralese.data.provenance import write_provenance
from neuralese.games.driving import DrivingGame
from neuralese.games.load import driving_layouts
from neuralese.games.replay import replay
from neuralese.pipeline.stage import stage
from neuralese.storage.tables import write_table

with stage(snakemake.log[0], snakemake.threads):
    made, params = snakemake.output, snakemake.params
    maps, turns, bad = driving.parse(Path(snakemake.input.raw) / "logs")
    played = replay(DrivingGame(driving_layouts(maps, turns)), turns)
    games, turns, bad = driving.leave_out(played, turns, bad)
    games["split"] = driving.splits(len(games), params.dev_games, params.test_games)
    write_table(made.maps, maps, "maps", about=params.rules)
    write_table(made.games, games, "games")
    write_table(made.turns, turns, "turns")
    rows = {"games": len(games), "turns": len(turns), "messages": int((turns["message"] != "").sum())}
    write_provenance(made.provenance, snakemake.input.raw, rows, left_out=bad)
