"""A robot that was trained for seconds on the embedded roads, and a page to play with it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from neuralese.games.load import driving_layouts, load_driving_game
from scripted_person import drive

from neuralese.agents.cell import CellConfig, save_cell
from neuralese.agents.messages import sample_messages, states_table
from neuralese.agents.players import utterances
from neuralese.agents.training import Trainer, TrainingConfig
from neuralese.play.server import PlayServer
from neuralese.speakers.fit import fit_human_speaker, fit_robot_speaker
from neuralese.speakers.fitting import FitConfig
from neuralese.speakers.models import save_model
from neuralese.speakers.traces import load_heard, load_silence, load_traces
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.driving import embedded as embedded
from neuralese.tasks.driving.game import DrivingGame
from neuralese.tasks.driving.play.game import OUT_OF_TIME, FogGame
from neuralese.tasks.driving.play.robot import Robot, load_robot
from neuralese.tasks.driving.play.sitting import Sitting
from neuralese.tasks.driving.replay import replay
from neuralese.tasks.items import traces_table
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.languages import Composed, English, Neuralese

BELIEF = {"kind": "belief", "role": "ours", "weights": "source", "divergence": "reverse", "scale": 1.0}
PRINTED = {"kind": "belief", "role": "printed", "weights": "product", "divergence": "forward"}
CRITERIA = {direction: {"printed": PRINTED, "mine": BELIEF} for direction in ("R->H", "H->R")}  # ours is not the first


def write_human_games(task: Path) -> None:
    """The tables of the driving task, from embedded games."""
    embedded.write(task)
    maps, turns, _ = driving.parse(task / "logs")
    games = replay(DrivingGame(driving_layouts(maps, turns)), turns).drop(columns="wrong")
    games["map"] = turns.groupby("game")["map"].first().to_numpy()
    games["split"] = driving.splits(len(games), dev=40, test=60)
    messages = driving.training_messages(games, turns)
    words = driving.vocabulary(messages, 3)
    inventory = driving.inventory(messages, 4, list(words["word"]))
    rows, phrases, said = driving.traces(turns, inventory["phrase"], words["word"])
    tables = {"maps": maps, "turns": turns, "games": games, "words": words, "inventory": inventory}
    for name, table in (tables | {"traces": traces_table(rows, phrases=phrases, words=said)}).items():
        write_table(task / f"{name}.parquet", table, name)


def write_robot(task: Path, run: Path) -> None:
    """All that `load_robot` reads of a seed, by a short training."""
    random = torch.Generator().manual_seed(0)
    game = load_driving_game(task / "maps.parquet", task / "turns.parquet", max_steps=8)
    settings = {"new_games": 16, "updates_per_round": 2, "explore": 100, "target_every": 25, "double": True}
    config = TrainingConfig(updates=220, batch=16, learning_rate=0.005, **settings)
    trainer = Trainer(game, CellConfig(hidden=32, message=16, radius=2.0), config, seed=0)
    trainer.run()
    save_cell(run / "agent.safetensors", trainer.cell)
    cell, fit = trainer.cell.eval(), FitConfig(hidden=32, steps=100, batch=128, check_every=50)
    said, held_out = (utterances(cell, game, count, random, independent=False) for count in (2000, 200))
    robot = fit_robot_speaker(game, said, held_out, cell.config.noise, fit, random)
    tables = {name: task / f"{name}.parquet" for name in ("maps", "turns", "games", "words", "inventory", "traces")}
    traces = [load_traces(tables, game, split, random) for split in ("train", "dev")]
    human = fit_human_speaker(game, *traces, fit, random, load_silence(tables), load_heard(tables))
    save_model(run / "robot_speaker.safetensors", robot)
    save_model(run / "human_speaker.safetensors", human)
    contexts, _ = utterances(cell, game, 200, random)
    messages = sample_messages(cell, {"train": game}, {"train": 200}, random)
    write_table(run / "messages.parquet", messages, "messages")
    write_table(run / "contexts.parquet", states_table(game, contexts, "context_id"), "contexts")
    phrases = read_table(tables["inventory"], "inventory")["phrase"].to_pylist()
    vocabulary = Neuralese(game, robot, torch.tensor(messages["message"].to_pylist()), torch.arange(200))
    english, candidates = English(game, human, phrases), game.candidates(contexts)
    spoken = [number for number, phrase in enumerate(phrases) if phrase]
    told = Composed(english, (*((number,) for number in range(len(phrases))), tuple(spoken[:2])))
    dictionary = build_dictionary(english, told, [vocabulary], vocabulary, candidates, CRITERIA, n_best=3)
    write_table(run / "dictionary.parquet", dictionary, "dictionary", about={"criteria": CRITERIA})


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    (folder / "driving").mkdir()
    write_human_games(folder / "driving")
    write_robot(folder / "driving", folder / "driving" / "seed0")
    return folder


@pytest.fixture(scope="session")
def robot(results) -> Robot:
    return load_robot(results, 0, None)


@pytest.fixture(scope="session")
def ending_seed(robot) -> int:
    """The seed of a game that ends before time is up with the scripted person."""
    for seed in range(200):
        if drive(FogGame(robot, torch.Generator().manual_seed(seed))).outcome != OUT_OF_TIME:
            return seed
    raise AssertionError("this robot never arrives and never crashes")


@pytest.fixture
def server(robot, ending_seed, tmp_path) -> Iterator[PlayServer]:
    """A page of its own for each test, at `server.url`; its first game is that of the `ending_seed`."""
    server = PlayServer(Sitting(robot, tmp_path / "play", torch.Generator().manual_seed(ending_seed)))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()
