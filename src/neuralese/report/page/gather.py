"""What the page shows of one task and seed, as plain values small enough to be put into the page."""

import numpy as np
import pandas as pd
import torch

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import Speech, read_messages
from neuralese.data.provenance import data_kind
from neuralese.evaluate.listeners import Listeners
from neuralese.evaluate.translations import best_translations
from neuralese.games.game import Game
from neuralese.games.load import load_games
from neuralese.randomness import generator
from neuralese.report.page.explorer import Explorer
from neuralese.report.page.items import described
from neuralese.report.pictures import Tables
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker, load_model
from neuralese.speakers.traces import load_heard
from neuralese.storage.tables import matrix, read_table
from neuralese.translate.languages import English, Neuralese

EXPLORED = 40  # test messages that can be looked up; the states they were said in are those that beliefs are shown over
CLOUD = 400  # test messages in the cloud
EXAMPLES = 12  # reference games shown


def gather(tables: Tables, task: str, seed: int, criterion: str) -> dict:
    """All that the page shows of `task` and `seed`, with the English of the cloud and the games by `criterion`."""
    game = load_games(tables)["test"]
    said = read_messages(tables["messages"], game)
    robot = load_model(tables["robot"], RobotSpeaker, game)
    phrases = read_table(tables["inventory"], "inventory")["phrase"].to_pylist()
    english = English(game, load_model(tables["human"], HumanSpeaker, game), phrases)
    dictionary, synthesis = (read_table(tables[name], "dictionary").to_pandas() for name in ("dictionary", "synthesis"))

    def language(speech: Speech) -> Neuralese:
        return Neuralese(game, robot, speech.messages, speech.ids)

    spoken, new = _first(said["test"], EXPLORED), new_messages(tables)
    bags = read_table(tables["bags"], "bags").to_pandas()
    explorer = Explorer(english, language(spoken), language(said["train"]), language(new), bags)
    both = pd.concat([dictionary.assign(new=False), synthesis.assign(new=True)])
    explored = explorer.values(both, game.candidates(spoken.states))
    best = best_translations(dictionary, "R->H", criterion)
    said_in = _said_in(said, explored["beliefs"]["message"])
    shown = cloud(said["test"], best)
    if "watched" in tables:
        games = driving_games(read_table(tables["watched"], "watched").to_pandas())
    else:
        games = reference_games(tables, game, robot, _first(spoken, EXAMPLES), best, seed)
    return {
        "task": task,
        "seed": seed,
        "data": data_kind(tables["provenance"]),
        "criterion": criterion,
        "phrases": english.texts(),
        "states": spoken.states.tolist(),
        "explored": spoken.ids.tolist(),
        "said_in": said_in,
        **explored,
        "cloud": shown,
        "games": games,
        "history": history(read_table(tables["history"], "history").to_pandas()),
        "protocol": read_table(tables["protocol"], "protocol").select(["measure", "variable", "value"]).to_pylist(),
        **described(tables, pictured=shown["states"], named=said_in.values()),
    }


def new_messages(tables: Tables) -> Speech:
    """The messages that were made; nobody said them in any state."""
    table = read_table(tables["new_messages"], "messages")
    ids = torch.from_numpy(table["message_id"].to_numpy().astype("int64"))
    return Speech(ids, torch.empty(len(ids), 2, 0), torch.from_numpy(matrix(table["message"]).copy()))


def _first(said: Speech, count: int) -> Speech:
    return Speech(said.ids[:count], said.states[:count], said.messages[:count])


def _said_in(said: dict[str, Speech], wanted: dict[int, list]) -> dict[int, list]:
    """The state in which each of the `wanted` messages was said."""
    found = {}
    for speech in said.values():
        for number, state in zip(speech.ids.tolist(), speech.states.tolist(), strict=True):
            if number in wanted:
                found[number] = state
    return found


def cloud(said: Speech, best: dict[int, int], count: int = CLOUD) -> dict:
    """The first messages in the two directions in which messages differ most, with their states and translations."""
    messages = said.messages.numpy()
    centred = messages - messages.mean(0)
    values, directions = np.linalg.eigh(np.cov(centred.T))
    points = centred[:count] @ directions[:, [-1, -2]]
    # the sign of a direction is arbitrary: let the farthest point of each be positive
    points *= np.sign(points[np.abs(points).argmax(0), [0, 1]])
    ids = said.ids[:count].tolist()
    return {
        "share": [round(float(values[-1] / values.sum()), 4), round(float(values[-2] / values.sum()), 4)],
        "x": points[:, 0].round(3).tolist(),
        "y": points[:, 1].round(3).tolist(),
        "ids": ids,
        "phrases": [best[number] for number in ids],
        "states": said.states[:count].tolist(),
    }


def history(table: pd.DataFrame) -> dict[str, list]:
    """A learning curve."""
    return {name: table[name].astype(float).round(4).tolist() for name in ("update", "success", "reward")}


def reference_games(
    tables: Tables, game: Game, robot: RobotSpeaker, said: Speech, best: dict[int, int], seed: int
) -> list[dict]:
    """What is `said` in English, and whether the robot that hears it, and the model human that hears the English, guess
    right. Credit is 1 for the right item, 0 for the wrong one, 1/2 for neither.
    """
    human = load_model(tables["listener"], HumanListener, game)
    listeners = Listeners.of(game, load_cell(tables["agent"], game), robot, human)
    phrases = [best[number] for number in said.ids.tolist()]
    by_robot = listeners.robot_credit(said.messages, said.states, generator(seed, "report"))
    by_human = listeners.human_credit(load_heard(tables)[torch.tensor(phrases)], said.states)
    rows = zip(said.ids.tolist(), said.states.tolist(), phrases, by_robot.tolist(), by_human.tolist(), strict=True)
    return [dict(zip(("message", "state", "phrase", "robot", "human"), row, strict=True)) for row in rows]


def driving_games(watched: pd.DataFrame) -> list[dict]:
    """Watched games turn by turn."""
    games = []
    for (pair, _), game in watched.groupby(["pair", "game"], sort=False):
        turns = []
        for _, rows in game.groupby("turn"):
            cars = rows[["pose", "goal", "action", "said"]].to_dict("records")
            turns.append({"cars": cars, "reward": round(rows["reward"].iloc[0], 2), "outcome": rows["outcome"].iloc[0]})
        games.append(
            {"pair": pair, "map": int(game["map"].iloc[0]), "who": game["who"].iloc[:2].tolist(), "turns": turns}
        )
    return games
