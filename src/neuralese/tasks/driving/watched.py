"""The games that can be stepped through in the report."""

import pandas as pd

from neuralese.storage.tables import read_table
from neuralese.tasks.driving.tables import WATCHED
from neuralese.tasks.task import Files


def watched_games(files: Files) -> list[dict]:
    """Watched games turn by turn."""
    return turn_by_turn(read_table(files["watched.parquet"], WATCHED).to_pandas())


def turn_by_turn(watched: pd.DataFrame) -> list[dict]:
    """Watched games turn by turn; games of one pair with the same `start` began identically."""
    games = []
    for (pair, criterion, number), game in watched.groupby(["pair", "criterion", "game"], sort=False):
        turns = []
        for _, rows in game.groupby("turn"):
            cars = rows[["pose", "goal", "action", "said"]].to_dict("records")
            turns.append({"cars": cars, "reward": round(rows["reward"].iloc[0], 2), "outcome": rows["outcome"].iloc[0]})
        who = {"pair": pair, "criterion": criterion, "start": int(number), "who": game["who"].iloc[:2].tolist()}
        games.append(who | {"map": int(game["map"].iloc[0]), "turns": turns})
    return games
